//! Answers, one JSON line per item, and what is said on standard error.

use crate::secrets::wiped::{Wiped, append};
use serde::Serialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use zeroize::Zeroizing;

/// Why a command ended early.
pub enum Failure {
    /// Nobody reads the output any more: no error, but no reason to go on.
    ClosedPipe,
    Problem(String),
}

/// For writing the output; errors of the input are described where they arise.
impl From<io::Error> for Failure {
    fn from(problem: io::Error) -> Self {
        match problem.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Problem(format!("writing the output: {problem}")),
        }
    }
}

impl From<gecc::Error> for Failure {
    fn from(problem: gecc::Error) -> Self {
        Failure::Problem(problem.to_string())
    }
}

impl From<String> for Failure {
    fn from(problem: String) -> Self {
        Failure::Problem(problem)
    }
}

/// Says something on standard error. Unlike `eprintln!`, does not panic where that is closed.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// What the output says of one item.
pub struct Answer {
    /// Whether the item counts as passed.
    pub passed: bool,
    /// `"name":value`, separated by commas. Shared secrets pass through here.
    fields: Wiped,
}

impl Answer {
    pub fn passed() -> Self {
        Answer { passed: true, fields: Wiped::default() }
    }

    pub fn rejected() -> Self {
        Answer { passed: false, fields: Wiped::default() }
    }

    /// The answer of every command but `verify` for an item that failed.
    pub fn error(reason: impl ToString) -> Self {
        Self::rejected().json("error", reason.to_string())
    }

    /// Adds a field that is not secret.
    pub fn json(mut self, name: &str, value: impl Serialize) -> Self {
        let value = serde_json::to_vec(&value).expect("texts, numbers and flags have a JSON form");
        self.name(name);
        append(&mut self.fields, &value);
        self
    }

    /// Adds a field of bytes in hexadecimal.
    pub fn hex(mut self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.name(name);
        append(&mut self.fields, b"\"");
        let start = self.fields.len();
        append(&mut self.fields, &vec![0; 2 * bytes.len()]);
        hex::encode_to_slice(bytes, &mut self.fields[start..]).expect("two digits for each byte");
        append(&mut self.fields, b"\"");
        self
    }

    fn name(&mut self, name: &str) {
        let separator = if self.fields.is_empty() { "" } else { "," };
        append(&mut self.fields, format!("{separator}\"{name}\":").as_bytes());
    }
}

/// Where answers go.
pub struct Output {
    sink: Box<dyn Write>,
    /// Complete lines.
    buffer: Wiped,
}

impl Output {
    /// Opens a file, or standard output for `-` and `None`. A file for secrets is its owner's alone.
    pub fn open(path: Option<&Path>, secret: bool) -> Result<Self, String> {
        let sink: Box<dyn Write> = match path.filter(|path| *path != Path::new("-")) {
            None => Box::new(io::stdout()),
            Some(path) => {
                let file = if secret { create_private(path) } else { File::create(path) };
                Box::new(file.map_err(|problem| format!("{}: {problem}", path.display()))?)
            }
        };
        Ok(Output { sink, buffer: Zeroizing::new(Vec::with_capacity(Self::BUFFER)) })
    }

    const BUFFER: usize = 1 << 16;

    /// Writes one line; `tag` is passed through from the input.
    pub fn write(&mut self, answer: &Answer, tag: Option<&RawValue>) -> io::Result<()> {
        append(&mut self.buffer, b"{");
        append(&mut self.buffer, &answer.fields);
        if let Some(tag) = tag {
            append(&mut self.buffer, b",\"tag\":");
            append(&mut self.buffer, tag.get().as_bytes());
        }
        append(&mut self.buffer, b"}\n");
        if self.buffer.len() < Self::BUFFER { Ok(()) } else { self.flush() }
    }

    /// Hands complete lines to the operating system.
    pub fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(&self.buffer)?;
        self.buffer.clear();
        self.sink.flush()
    }
}

/// Creates a file that nobody but its owner can read or write. One that is there already, and that others can, is made so
/// before anything is written to it.
#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::fs::Permissions;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    const OWNER: u32 = 0o600;
    let file = File::options().write(true).create(true).truncate(true).mode(OWNER).open(path)?;
    let metadata = file.metadata()?;
    // Terminals, pipes and /dev/null are as they are.
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(OWNER))?;
        note(&format!("gecc: warning: others had access to {}; now its owner alone has", path.display()));
    }
    Ok(file)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    File::create(path)
}

/// Opening the output would empty a source that is the same file.
pub fn refuse_overwriting(source: &Path, output: Option<&Path>) -> Result<(), String> {
    match output.filter(|output| same_file(source, output)) {
        None => Ok(()),
        Some(output) => Err(format!("{}: the output would overwrite an input", output.display())),
    }
}

#[cfg(unix)]
fn same_file(source: &Path, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let source = if source == Path::new("-") { Path::new("/dev/stdin") } else { source };
    match (std::fs::metadata(source), std::fs::metadata(output)) {
        (Ok(a), Ok(b)) => a.is_file() && (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn same_file(source: &Path, output: &Path) -> bool {
    match (source.canonicalize(), output.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
