//! Where answers go: to a stream at once, or to a file that has its name when all of them are there.

use super::failure::note;
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::{Builder, NamedTempFile};

/// An output that is open.
pub struct Output(Sink);

enum Sink {
    /// Standard output, terminals, pipes and devices.
    Direct(Box<dyn Write + Send>),
    /// A file beside the one that it becomes.
    Beside { part: NamedTempFile, target: PathBuf },
}

impl Output {
    /// Opens a file, or standard output for `-` and `None`. A file for secrets is its owner's alone.
    pub fn open(path: Option<&Path>, secret: bool) -> Result<Self, String> {
        match path.filter(|path| *path != Path::new("-")) {
            None => Ok(Output(Sink::Direct(Box::new(io::stdout())))),
            Some(path) => {
                open_file(path, secret).map(Output).map_err(|problem| format!("{}: {problem}", path.display()))
            }
        }
    }

    /// Hands whole lines to the operating system.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let sink: &mut dyn Write = match &mut self.0 {
            Sink::Direct(sink) => sink,
            Sink::Beside { part, .. } => part,
        };
        sink.write_all(lines)?;
        sink.flush()
    }

    /// Gives the file its name, in place of what had it.
    pub fn finish(self) -> Result<(), String> {
        match self.0 {
            Sink::Direct(_) => Ok(()),
            Sink::Beside { part, target } => match part.persist(&target) {
                Ok(_) => Ok(()),
                Err(failed) => {
                    let problem = format!("{}: {}", target.display(), failed.error);
                    Err(problem + &kept(failed.file))
                }
            },
        }
    }

    /// Keeps what was written beside the file, which stays as it was. Gives what a message has to say of it.
    pub fn abandon(self, has_answers: bool) -> String {
        match self.0 {
            Sink::Beside { part, .. } if has_answers => kept(part),
            Sink::Direct(_) | Sink::Beside { .. } => String::new(),
        }
    }
}

fn kept(part: NamedTempFile) -> String {
    match part.keep() {
        Ok((_, path)) => format!("; the answers up to there are in {}", path.display()),
        Err(failed) => format!("; the answers up to there could not be kept: {}", failed.error),
    }
}

fn open_file(path: &Path, secret: bool) -> io::Result<Sink> {
    let before = match std::fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => None,
        Err(problem) => return Err(problem),
    };
    if before.as_ref().is_some_and(|before| !before.is_file()) {
        return Ok(Sink::Direct(Box::new(File::options().write(true).open(path)?)));
    }
    if before.is_some() {
        // A file that may not be written is not replaced either.
        File::options().append(true).open(path)?;
    }
    // A link stays, and what it points to is replaced.
    let target = if before.is_some() { path.canonicalize()? } else { path.to_owned() };
    let folder = target.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let mut name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(".part-");
    let part = create(Builder::new().prefix(&name), folder, before.as_ref(), secret)?;
    if secret && before.as_ref().is_some_and(is_open_to_others) {
        note(&format!("gecc: warning: others had access to {}; now its owner alone has", path.display()));
    }
    Ok(Sink::Beside { part, target })
}

/// With the permissions of the file that was there before, or as the user's mask says; for secrets the owner's alone.
#[cfg(unix)]
fn create(builder: &mut Builder, folder: &Path, before: Option<&Metadata>, secret: bool) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    const OWNER: u32 = 0o600;
    const ALL: u32 = 0o666;
    let part = builder.permissions(Permissions::from_mode(if secret { OWNER } else { ALL })).tempfile_in(folder)?;
    if let Some(before) = before.filter(|_| !secret) {
        part.as_file().set_permissions(before.permissions())?;
    }
    Ok(part)
}

#[cfg(not(unix))]
fn create(builder: &mut Builder, folder: &Path, _: Option<&Metadata>, _: bool) -> io::Result<NamedTempFile> {
    builder.tempfile_in(folder)
}

#[cfg(unix)]
fn is_open_to_others(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Metadata) -> bool {
    false
}

/// A source that is the same file would be lost.
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
