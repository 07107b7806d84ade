//! Where answers go.

use super::answer::Answer;
use super::failure::note;
use crate::secrets::wiped::{Wiped, append};
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use zeroize::Zeroizing;

/// A file or a stream, and the lines for it.
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
