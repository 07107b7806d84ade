//! `gecc bitcoin index`.

use crate::allocator;
use crate::chains::{count_problems, displayed_txid, memory_for_files, refuse_overwriting_any};
use crate::flags::{AnswerFormat, IndexOptions, blocks, end_of_name};
use crate::input::paths::without_patterns;
use crate::job::columns::{SharedOutput, failure, format_of};
use crate::job::{pool, warn_of_failures};
use crate::node;
use crate::output::{Failure, Output, note};
use crate::{ALL_PASSED, COULD_NOT_RUN, NOT_CHECKED, interrupt};
use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, PrimitiveBuilder};
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BinaryArray, Int32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use gecc_arrow::{Compression, Pool, Writer};
use gecc_chains::bitcoin::{self, TweakIndex};
use gecc_chains::{Settings, files_of};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub fn run(options: &IndexOptions) -> Result<u8, Failure> {
    let blocks = blocks(options.from, options.to)?;
    let limit = options.engine.max_memory;
    let node = node::connect(
        options.rest_url.as_ref(),
        blocks,
        memory_for_files(limit, true),
    )?;
    let of_engine = limit.map(|bytes| bytes / 2);
    let max_memory = memory_for_files(limit, node.is_some());
    if limit.is_some() {
        allocator::give_back_freed();
    }
    let paths = files_of(&without_patterns(&options.paths)?);
    bitcoin::require_blocks(&paths)?;
    refuse_overwriting_any(&paths, Some(&options.output))?;
    let started = Instant::now();
    let engine = options.engine.start_for(paths.known_bytes(), of_engine)?;
    let interrupted = interrupt::watch()?;
    let pool = Arc::new(pool(options.engine.threads)?);
    let settings = Settings {
        max_memory,
        ..Settings::new(&engine, &pool, interrupted)
    };
    let output = Output::open(Some(&options.output), false, interrupted)?;
    output.require_sync(options.sync)?;
    let shared = SharedOutput::new(output);
    let mut table = IndexTable::create(&shared, options)?;
    let threads = Pool::of(Arc::clone(&pool));
    let chain = node::source(node, &paths, options.magic);
    let ended = bitcoin::index(&settings, chain, blocks, |tweaks| {
        match table.put(&tweaks, &threads) {
            Ok(()) => ControlFlow::Continue(()),
            Err(failure) => ControlFlow::Break(failure),
        }
    });
    let IndexTable {
        writer,
        rows,
        outputs,
        unreadable,
        not_checked,
        ..
    } = table;
    // A table that is kept must be readable.
    let (has_end, finished) = writer.finish_readable();
    let finished = finished.map_err(failure);
    let whole = match ended {
        Ok(None) => finished,
        Ok(Some(failed)) => Err(failed),
        Err(problem) => Err(problem.into()),
    };
    let output = shared.into_output(has_end);
    warn_of_failures(&engine);
    if interrupted.load(Ordering::Relaxed) {
        note(&format!("gecc: interrupted{}", output.abandon(rows > 0)));
        return Ok(interrupt::code());
    }
    match whole {
        Ok(()) => output.finish(options.sync)?,
        Err(Failure::Problem(problem)) => {
            return Err(Failure::Problem(problem + &output.abandon(rows > 0)));
        }
        Err(closed) => return Err(closed),
    }
    if !options.quiet {
        let seconds = started.elapsed().as_secs_f64();
        note(&format!(
            "{rows} tweak points and {outputs} outputs in {seconds:.2} s, by {engine}"
        ));
    }
    Ok(match (unreadable, not_checked) {
        (0, 0) => ALL_PASSED,
        (0, _) => NOT_CHECKED,
        _ => COULD_NOT_RUN,
    })
}

/// The table that is being written.
struct IndexTable {
    writer: Writer,
    schema: SchemaRef,
    full_outputs: bool,
    rows: usize,
    outputs: usize,
    /// The number of places in files that could not be read, and of blocks whose spent outputs are
    /// missing.
    unreadable: u64,
    not_checked: u64,
}

impl IndexTable {
    fn create(shared: &SharedOutput, options: &IndexOptions) -> Result<Self, Failure> {
        let path: &Path = &options.output;
        let full_outputs = options.full_outputs;
        let is_arrow = end_of_name(Some(path)) == "arrow";
        let answers = if is_arrow {
            AnswerFormat::Arrow
        } else {
            AnswerFormat::Parquet
        };
        let output = if full_outputs {
            DataType::FixedSizeBinary(32)
        } else {
            DataType::Int64
        };
        let outputs = DataType::List(Arc::new(Field::new("item", output, true)));
        let schema = Arc::new(Schema::new(vec![
            Field::new("txid", DataType::Binary, false),
            Field::new("height", DataType::Int32, true),
            Field::new("tweak_key", DataType::Binary, false),
            Field::new("outputs", outputs, false),
        ]));
        let format = format_of(answers, Some(path));
        let writer = Writer::create(shared.writer(), format, Compression::default(), &schema)
            .map_err(failure)?;
        Ok(IndexTable {
            writer,
            schema,
            full_outputs,
            rows: 0,
            outputs: 0,
            unreadable: 0,
            not_checked: 0,
        })
    }

    fn put(&mut self, tweaks: &TweakIndex, pool: &Pool) -> Result<(), Failure> {
        count_problems(
            &tweaks.progress.problems,
            &mut self.unreadable,
            &mut self.not_checked,
            note,
        );
        if tweaks.txids.is_empty() {
            return Ok(());
        }
        let heights = tweaks
            .heights
            .iter()
            .map(|height| height.and_then(|height| i32::try_from(height).ok()));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(BinaryArray::from_iter_values(
                tweaks.txids.iter().map(displayed_txid),
            )),
            Arc::new(heights.collect::<Int32Array>()),
            Arc::new(BinaryArray::from_iter_values(&tweaks.tweak_points)),
            outputs(tweaks, self.full_outputs),
        ];
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns)
            .expect("columns match the schema");
        self.writer.write(&batch, pool).map_err(failure)?;
        self.rows += tweaks.txids.len();
        self.outputs += tweaks.outputs.len();
        Ok(())
    }
}

fn outputs(tweaks: &TweakIndex, full: bool) -> ArrayRef {
    let rows = tweaks
        .offsets
        .windows(2)
        .map(|row| &tweaks.outputs[row[0] as usize..row[1] as usize]);
    if full {
        let mut lists = ListBuilder::new(FixedSizeBinaryBuilder::new(32));
        for row in rows {
            for key in row {
                lists.values().append_value(key).expect("32 bytes");
            }
            lists.append(true);
        }
        return Arc::new(lists.finish());
    }
    let mut lists = ListBuilder::new(PrimitiveBuilder::<Int64Type>::new());
    for row in rows {
        for key in row {
            // The first eight bytes identify the key.
            let prefix = i64::from_be_bytes(*key.first_chunk().expect("32 bytes"));
            lists.values().append_value(prefix);
        }
        lists.append(true);
    }
    Arc::new(lists.finish())
}
