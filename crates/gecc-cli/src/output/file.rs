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
    /// A file beside the one that it becomes, and how much of it is written.
    Beside { part: NamedTempFile, length: u64, target: PathBuf },
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

    /// Hands parts of whole lines to the operating system, in order. Gives how many went out before an error.
    pub fn write(&mut self, parts: &[&[u8]]) -> (usize, io::Result<()>) {
        match &mut self.0 {
            Sink::Direct(sink) => write_each(sink, parts),
            Sink::Beside { part, length, .. } => {
                let (written, outcome) = write_at(part.as_file(), *length, parts);
                *length += parts[..written].iter().map(|part| part.len() as u64).sum::<u64>();
                (written, outcome)
            }
        }
    }

    /// Hands bytes to the operating system, all or an error.
    #[cfg(feature = "arrow")]
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.0 {
            Sink::Direct(sink) => write_each(sink, &[bytes]).1,
            Sink::Beside { part, length, .. } => {
                write_one(part.as_file(), *length, bytes)?;
                *length += bytes.len() as u64;
                Ok(())
            }
        }
    }

    /// Gives the file its name, in place of what had it.
    pub fn finish(self) -> Result<(), String> {
        match self.0 {
            Sink::Direct(_) => Ok(()),
            Sink::Beside { part, target, .. } => match part.persist(&target) {
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

fn write_each(sink: &mut dyn Write, parts: &[&[u8]]) -> (usize, io::Result<()>) {
    for (written, part) in parts.iter().enumerate() {
        if let Err(problem) = sink.write_all(part).and_then(|()| sink.flush()) {
            return (written, Err(problem));
        }
    }
    (parts.len(), Ok(()))
}

#[cfg(unix)]
fn write_one(file: &File, place: u64, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, place)
}

#[cfg(not(unix))]
fn write_one(mut file: &File, _: u64, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)
}

/// Writes parts of a file one behind the other, from a place on. After an error the file ends before the part that it was about.
/// One thread: a file is locked while it is written to, and several only wait for each other.
fn write_at(file: &File, start: u64, parts: &[&[u8]]) -> (usize, io::Result<()>) {
    let mut place = start;
    for (written, part) in parts.iter().enumerate() {
        if let Err(problem) = write_one(file, place, part) {
            // Where that fails too, the first error says why.
            let _ = file.set_len(place);
            return (written, Err(problem));
        }
        place += part.len() as u64;
    }
    (parts.len(), Ok(()))
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
    Ok(Sink::Beside { part, length: 0, target })
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

/// A source that is the same file would be lost, or would grow for as long as it is read.
pub fn refuse_overwriting(source: &Path, output: Option<&Path>) -> Result<(), String> {
    match output.filter(|output| *output != Path::new("-")) {
        Some(output) if same_file(source, output) => {
            Err(format!("{}: the output would overwrite an input", output.display()))
        }
        None if same_file(source, Path::new("/dev/stdout")) => {
            Err("standard output goes to the file that is the input".to_owned())
        }
        _ => Ok(()),
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    #[test]
    fn parts_lie_one_behind_the_other() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let parts: Vec<Vec<u8>> = (0..200).map(|part| vec![part as u8; part * 37 % 1000]).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let start = b"before";
        file.as_file().write_all_at(start, 0).unwrap();
        let (written, outcome) = write_at(file.as_file(), start.len() as u64, &parts);
        assert!(written == parts.len() && outcome.is_ok());
        assert_eq!(std::fs::read(file.path()).unwrap(), [&start[..], &parts.concat()].concat());
    }

    #[test]
    fn an_error_says_how_many_parts_went_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (written, outcome) = write_at(&File::open(file.path()).unwrap(), 0, &[b"", b"", b"text", b"", b"more"]);
        assert!(written == 2 && outcome.is_err());
    }
}
