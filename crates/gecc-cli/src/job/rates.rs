//! Measures the rate of lines through everything except the engine. Ignored by default; run it with
//! `cargo test --release -p gecc-cli rates -- --ignored --nocapture`.

use super::arena::{Arena, KeyColumn};
use super::batch::Batch;
use super::lines::{BatchFormatter, LineFormatter, LineSelection};
use super::parser::{ParsingRules, fill};
use super::run;
use crate::flags::{Arguments, Command, StreamOptions};
use crate::input::fields::SignatureRules;
use crate::input::layout::TextLayout;
use crate::input::names::FieldNames;
use crate::input::splitter::{MAX_ROWS, RowSplitter, Unit, measure};
use crate::input::text::Buffers;
use crate::operation::CommandOperation;
use crate::secrets::buffers::Spares;
use clap::Parser;
use gecc::call;
use gecc::ecdsa::{Policy, SForm};
use gecc::fields::{Encoding, Hash, SignatureForm};
use gecc::{CurveId, Engine, Verdict};
use rayon::ThreadPoolBuilder;
use std::fmt::Write;
use std::hint::black_box;
use std::sync::Arc;

const LINES: usize = 1 << 20;

/// Returns operations that compute nothing.
fn operations() -> [(&'static str, CommandOperation); 4] {
    const CURVE: CurveId = CurveId::P256;
    let operations = [
        (
            "verify",
            call::Operation::EcdsaVerify(CURVE, Policy::default()),
        ),
        ("recover", call::Operation::EcdsaRecover(CURVE)),
        ("sign", call::Operation::EcdsaSign(CURVE, SForm::default())),
        ("pubkey", call::Operation::PublicKeys(CURVE)),
    ];
    operations.map(|(name, operation)| {
        (
            name,
            CommandOperation {
                is_passed_over: true,
                ..operation.into()
            },
        )
    })
}

/// A generator of distinct hexadecimal values (xorshift64).
struct HexValues(u64);

impl HexValues {
    /// Returns the digits of `bytes` bytes, a multiple of 8.
    fn next(&mut self, bytes: usize) -> String {
        let mut digits = String::new();
        for _ in 0..bytes / 8 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            write!(digits, "{:016x}", self.0).unwrap();
        }
        digits
    }
}

/// Returns lines with distinct values: JSON, of 303 bytes for `verify`, or CSV with a header.
fn text(name: &str, csv: bool) -> String {
    let mut values = HexValues(88_172_645_463_325_252);
    let fields: &[&str] = match name {
        "verify" => &["digest", "signature", "public_key"],
        "recover" => &["digest", "signature", "recovery_id"],
        "sign" => &["digest", "secret_key"],
        _ => &["secret_key"],
    };
    let mut text = if csv {
        fields.join(",") + "\n"
    } else {
        String::new()
    };
    for _ in 0..LINES {
        let cells = fields.iter().map(|field| match *field {
            "signature" => values.next(64),
            "public_key" => "02".to_owned() + &values.next(32),
            "recovery_id" => "1".to_owned(),
            _ => values.next(32),
        });
        let cells: Vec<String> = cells.collect();
        if csv {
            writeln!(text, "{}", cells.join(",")).unwrap();
        } else {
            let pairs: Vec<String> = fields
                .iter()
                .zip(cells)
                .map(|(field, cell)| format!("\"{field}\":\"{cell}\""))
                .collect();
            writeln!(text, "{{{}}}", pairs.join(",")).unwrap();
        }
    }
    text
}

fn units(text: &str) -> (Vec<Unit>, Arc<TextLayout>) {
    let mut splitter = RowSplitter::new(None, FieldNames::of_all());
    let buffers = Buffers::new(1 << 20, false);
    let mut sections = Vec::new();
    for bytes in text.as_bytes().chunks(buffers.size()) {
        let mut piece = buffers.take();
        piece.room()[..bytes.len()].copy_from_slice(bytes);
        piece.fill(bytes.len());
        splitter.push(piece, &mut sections).unwrap();
    }
    splitter.end(&mut sections).unwrap();
    let layout = Arc::clone(splitter.layout().unwrap());
    let measures = sections
        .iter()
        .map(|cut| measure(cut, &layout, MAX_ROWS))
        .collect();
    (splitter.number(sections, measures), layout)
}

/// Returns the processor time of all threads of this process per line: the median of several runs,
/// since other processes may run at the same time.
fn nanoseconds(mut work: impl FnMut()) -> f64 {
    let mut times = [0; 5].map(|_| {
        let started = processor_time();
        work();
        (processor_time() - started) as f64 / LINES as f64
    });
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the processor time in nanoseconds.
fn processor_time() -> i64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for writes.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

#[test]
#[ignore = "a measurement"]
fn rates_of_one_thread_and_of_all() {
    let engine = Engine::cpu().unwrap();
    let one = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let path = std::env::temp_dir().join(format!("gecc-rates-{}", std::process::id()));
    for (name, operation) in operations() {
        for csv in [false, true] {
            let text = text(name, csv);
            let (units, layout) = units(&text);
            let rules = ParsingRules {
                reads: operation.reads(),
                limit: None,
                kind: CurveId::P256.into(),
                names: FieldNames::new(Default::default(), operation.reads()),
                signatures: SignatureRules {
                    reader: operation
                        .operation
                        .signature_reader(SignatureForm::Auto)
                        .unwrap(),
                    decimal: false,
                },
                encodings: Encoding::Hex.into(),
                hybrid_keys: false,
                user_id: None,
                hash: Hash::default(),
                text_messages: false,
                file: Arc::default(),
            };
            let counting = nanoseconds(|| {
                for unit in &units {
                    black_box(measure(&unit.content, &layout, MAX_ROWS));
                }
            });
            let mut arena = Arena::new(&engine, &operation, LINES);
            arena.set_form(KeyColumn::Compressed);
            let rows: Vec<usize> = units.iter().map(|unit| unit.rows).collect();
            let mut origins = Vec::new();
            let parsing = nanoseconds(|| {
                let parts = units.iter().zip(arena.parts(0, &rows));
                origins = parts
                    .map(|(unit, mut part)| fill(unit, &layout, &rules, 0, &mut part))
                    .collect();
            });
            arena.results(LINES).codes.fill(Verdict::VALID_CODE);
            let batch = Batch {
                arena,
                number: 0,
                rows: LINES,
                units: origins,
                notes: 0,
                bytes: 0,
                long_rows: 0,
            };
            let spares = Spares::new(false, usize::MAX);
            let wanted = LineSelection::new(&operation, &options(&path), false, "line");
            let lines = LineFormatter {
                operation: &operation,
                wanted: &wanted,
                spares: &spares,
                pool: &one,
            };
            let writing = nanoseconds(|| {
                for mut written in lines.make(&batch).ok().unwrap() {
                    spares.give_back(std::mem::take(&mut *written.text));
                }
            });
            std::fs::write(&path, &text).unwrap();
            let all = nanoseconds(|| {
                assert!(matches!(run(&operation, &options(&path)), Ok(0)));
            });
            println!(
                "{name} {}: {} bytes a line; ns a line of one core: counting {counting:.0}, parsing {parsing:.0}, writing {writing:.0}; \
                 everything from file to /dev/null {all:.0}",
                if csv { "CSV" } else { "JSON" },
                text.len() / LINES,
            );
        }
    }
    std::fs::remove_file(&path).unwrap();
}

fn options(path: &std::path::Path) -> StreamOptions {
    let path = path.to_str().unwrap();
    let arguments = [
        "gecc",
        "verify",
        "--curve",
        "p256",
        "--engine",
        "cpu",
        "--quiet",
        "-o",
        "/dev/null",
        path,
    ];
    match Arguments::parse_from(arguments).command {
        Command::Verify(options) => options.stream,
        _ => unreachable!("it is `verify`"),
    }
}
