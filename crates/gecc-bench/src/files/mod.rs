//! `gecc-bench files`: the commands on files, run as a user would.

mod answers;
mod call;
mod column;
mod formats;
mod items;
mod page_cache;
mod report;
mod tables;

use crate::flags::{FileFormat, FileOperation, FilesOptions};
use crate::{ALL_PASSED, SOME_REJECTED};
use call::Call;
use column::Table;
use gecc::Backend;
use gecc_cli::failure::Failure;
use gecc_cli::messages::note;
use items::{Alone, Items};
use report::{Report, Row};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub fn run(options: &FilesOptions) -> Result<u8, Failure> {
    let operations = options.operations();
    if let Some(operation) = operations
        .iter()
        .find(|operation| !operation.is_on(options.curve))
    {
        return Err(format!("{} has no {}", options.curve, operation.name()).into());
    }
    let engine = options.engine.start()?;
    let items = Items::new(&engine, options.curve, options.items as usize)?;
    let folder = Folder::new(options.dir.as_deref())
        .map_err(|problem| format!("the folder for the files: {problem}"))?;
    let mut bench = Bench {
        options,
        folder,
        report: Report::new(options, &engine)?,
        items,
        all_right: true,
    };
    for operation in operations {
        let alone = bench.items.by_the_engine(&engine, operation)?;
        if engine.info().backend == Backend::Gpu && !alone.page_locked {
            note(&format!(
                "gecc-bench: warning: not all columns of {} could be page-locked",
                operation.name()
            ));
        }
        bench.operation(operation, &alone)?;
    }
    if let Some(path) = &options.plot {
        bench.report.plot(path)?;
    }
    Ok(if bench.all_right {
        ALL_PASSED
    } else {
        SOME_REJECTED
    })
}

struct Bench<'a> {
    options: &'a FilesOptions,
    folder: Folder,
    report: Report,
    items: Items,
    all_right: bool,
}

impl Bench<'_> {
    /// Measures all formats of an operation.
    fn operation(&mut self, operation: FileOperation, alone: &Alone) -> Result<(), Failure> {
        let keys = operation
            .uses_a_key()
            .then(|| self.key_file())
            .transpose()?;
        let call = Call {
            options: self.options,
            operation,
            keys,
        };
        for &format in self.options.formats() {
            match self.format(&call, format, alone) {
                Ok(row) => self.report.row(row)?,
                Err(problem) => {
                    self.all_right = false;
                    self.report.problem(operation, format, &problem)?;
                }
            }
            self.folder
                .clear()
                .map_err(|problem| format!("removing the files: {problem}"))?;
        }
        Ok(())
    }

    /// Measures one file. An error does not prevent the measurement of others.
    fn format(&self, call: &Call, format: FileFormat, alone: &Alone) -> Result<Row, String> {
        let name = format!("gecc-bench-{}.{}", call.operation.name(), format.name());
        let [one, input] =
            ["one-", ""].map(|prefix| self.folder.path().join(format!("{prefix}{name}")));
        let output = self.folder.path().join(format!("answers-{name}.jsonl"));
        let table = self.items.table(call.operation);
        write(&table, 1, format, &one)?;
        let bytes = write(&table, self.items.len(), format, &input)?;
        let format_arguments = formats::arguments(format);
        let start_seconds =
            call.median(&format_arguments, &one, &output, &alone.expected.first())?;
        let cache_seconds = page_cache::read_seconds(&input, self.options.engine.thread_count());
        let cache_seconds =
            cache_seconds.map_err(|problem| format!("{}: {problem}", input.display()))?;
        let seconds = call.median(&format_arguments, &input, &output, &alone.expected)?;
        let operation = call.operation;
        let items = self.items.len();
        let engine_seconds = alone.seconds;
        let page_locked = alone.page_locked;
        Ok(Row {
            operation,
            format,
            items,
            bytes,
            seconds,
            start_seconds,
            engine_seconds,
            page_locked,
            cache_seconds,
        })
    }

    /// Writes a file with the key used for all items.
    fn key_file(&self) -> Result<PathBuf, String> {
        let path = self.folder.path().join("gecc-bench-key.hex");
        let write = formats::create_private(&path).and_then(|file| self.items.write_key(file));
        write.map_err(|problem| format!("{}: {problem}", path.display()))?;
        Ok(path)
    }
}

/// Writes a file with the first items of a table, and returns its length.
fn write(table: &Table, items: usize, format: FileFormat, path: &Path) -> Result<u64, String> {
    formats::write(table, items, format, path)
        .map_err(|problem| format!("{}: {problem}", path.display()))
}

/// The folder in which files are written.
enum Folder {
    /// A folder that is removed at the end, with its contents.
    Temporary(TempDir),
    Given(PathBuf),
}

impl Folder {
    fn new(given: Option<&Path>) -> io::Result<Self> {
        match given {
            None => Ok(Folder::Temporary(TempDir::with_prefix("gecc-bench-")?)),
            Some(path) => {
                fs::create_dir_all(path)?;
                Ok(Folder::Given(path.to_owned()))
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Temporary(folder) => folder.path(),
            Folder::Given(path) => path,
        }
    }

    /// Removes the files, which are large, and a temporary folder may be in memory. A folder given
    /// by the user keeps them.
    fn clear(&self) -> io::Result<()> {
        let Folder::Temporary(folder) = self else {
            return Ok(());
        };
        for entry in fs::read_dir(folder.path())? {
            let path = entry?.path();
            // The key file is reused for other formats.
            if path.extension().is_none_or(|extension| extension != "hex") {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}
