//! Destinations of answers: a stream, or a file that is renamed to its final name once it is
//! complete.

use super::direct::{WriteOutcome, WriterThread};
use crate::failure::written;
use crate::flags::end_of_name;
use crate::input::open::is_standard_stream;
use crate::messages::{path_error, shown_path, warn};
use crate::secrets::buffers::Wiped;
use crate::standard_streams;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::{Builder, NamedTempFile};

/// An open output.
pub struct Output {
    sink: OutputSink,
    /// True if it lacks an end without which it is unreadable.
    lacks_end: bool,
}

enum OutputSink {
    /// Standard output, terminals, pipes and devices.
    WriterThread(WriterThread),
    /// A temporary file next to the target, with its length so far. If appending fails, its first
    /// `kept` bytes are retained.
    TemporaryFile {
        part: NamedTempFile,
        length: u64,
        #[cfg_attr(
            not(feature = "arrow"),
            expect(dead_code, reason = "tables alone keep a part")
        )]
        kept: u64,
        target: PathBuf,
    },
}

impl Output {
    /// Opens a file, or standard output for `-` and `None`. A file for secrets is accessible to its
    /// owner only. Anything but a regular file is not waited for once the command is interrupted. A
    /// file that is open already, which `/dev/stdout` may be, is written at its current position or
    /// its end, and not replaced. Outputs are not compressed, and names that suggest it are
    /// refused.
    pub fn open(
        path: Option<&Path>,
        secret: bool,
        interrupted: &'static AtomicBool,
    ) -> Result<Self, String> {
        if COMPRESSED.contains(&end_of_name(path).as_str()) {
            let problem = "answers are not compressed: name the output without .gz, .zst, .bz2 or .xz, or pipe it through a program";
            return Err(problem.to_owned());
        }
        if let Some(path) = path.filter(|path| secret && is_open(path))
            && std::fs::metadata(path).is_ok_and(|file| file.is_file() && is_open_to_others(&file))
        {
            warn(&format!(
                "others have access to {}, and keep it, as the file was open before",
                shown_path(path)
            ));
        }
        let path = path
            .filter(|path| !is_standard_stream(path) && !is_descriptor(path, "/dev/stdout", "1"));
        let sink = match path {
            None => {
                standard_streams::require_output()?;
                WriterThread::start(Box::new(io::stdout()), interrupted)
                    .map(OutputSink::WriterThread)
            }
            Some(path) if is_descriptor(path, "/dev/stderr", "2") => {
                standard_streams::require_error()?;
                WriterThread::start(Box::new(io::stderr()), interrupted)
                    .map(OutputSink::WriterThread)
            }
            Some(path) => open_file(path, secret, interrupted),
        };
        let name = path.unwrap_or(Path::new("standard output"));
        sink.map(|sink| Output {
            sink,
            lacks_end: false,
        })
        .map_err(|problem| path_error(name, problem))
    }

    /// Refuses `--sync` if the output is not a file that is renamed at the end.
    pub fn require_sync(&self, sync: bool) -> Result<(), String> {
        match &self.sink {
            OutputSink::WriterThread(_) if sync => {
                Err("--sync is for output files: standard output, pipes and devices are written immediately".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// Passes parts of whole lines to the operating system, in order.
    pub fn write(&mut self, parts: Vec<Wiped>) -> WriteOutcome {
        match &mut self.sink {
            OutputSink::WriterThread(direct) => direct.write(parts),
            OutputSink::TemporaryFile { part, length, .. } => {
                let texts: Vec<&[u8]> = parts.iter().map(|part| part.as_slice()).collect();
                let (whole, outcome) = write_at(part.as_file(), *length, &texts);
                *length += texts[..whole]
                    .iter()
                    .map(|text| text.len() as u64)
                    .sum::<u64>();
                WriteOutcome {
                    parts,
                    whole,
                    outcome,
                }
            }
        }
    }

    /// Retains everything appended so far in case later bytes cannot be written.
    #[cfg(feature = "arrow")]
    pub fn keep(&mut self) {
        if let OutputSink::TemporaryFile { length, kept, .. } = &mut self.sink {
            *kept = *length;
        }
    }

    /// Passes bytes to the operating system. On error the file is truncated to the part to be kept.
    #[cfg(feature = "arrow")]
    pub fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.sink {
            OutputSink::WriterThread(direct) => {
                direct.write(vec![Wiped::new(bytes.to_vec())]).outcome
            }
            OutputSink::TemporaryFile {
                part, length, kept, ..
            } => {
                if let Err(problem) = write_one(part.as_file(), *length, bytes) {
                    *length = *kept;
                    // If truncating fails too, the first error is still the one to report.
                    let _ = part.as_file().set_len(*length);
                    return Err(problem);
                }
                *length += bytes.len() as u64;
                Ok(())
            }
        }
    }

    /// Renames the file to its final name, replacing an existing file. With `sync`, the file is
    /// flushed to disk before, and its name after.
    pub fn finish(self, sync: bool) -> Result<(), String> {
        let (part, target) = match self.sink {
            OutputSink::TemporaryFile { part, target, .. } => (part, target),
            OutputSink::WriterThread(mut direct) => {
                // A pipe is opened even if nothing was written, so that its reader sees the end.
                return direct
                    .write(Vec::new())
                    .outcome
                    .map_err(|problem| written(&problem));
            }
        };
        if sync && let Err(problem) = part.as_file().sync_all() {
            return Err(path_error(&target, problem) + &kept(part));
        }
        match part.persist(&target) {
            Ok(_) if sync => {
                sync_folder(folder_of(&target)).map_err(|problem| path_error(&target, problem))
            }
            Ok(_) => Ok(()),
            // In containers, files of the host are mounted, and a mount point cannot be replaced.
            Err(failed) if failed.error.kind() == io::ErrorKind::ResourceBusy => {
                let overwritten = overwrite(&target, failed.file.as_file(), sync);
                overwritten.map_err(|problem| path_error(&target, problem) + &kept(failed.file))
            }
            Err(failed) => Err(path_error(&target, failed.error) + &kept(failed.file)),
        }
    }

    /// Marks the output as lacking its end, without which it is unreadable.
    #[cfg(feature = "arrow")]
    pub fn set_lacks_end(&mut self) {
        self.lacks_end = true;
    }

    /// Keeps the temporary file next to the target, which is unchanged, unless its contents are
    /// unreadable. Returns the remark for the error message.
    pub fn abandon(self, has_answers: bool) -> String {
        match self.sink {
            OutputSink::TemporaryFile { .. } if has_answers && self.lacks_end => {
                "; nothing is kept, as a table without its end cannot be read".to_owned()
            }
            OutputSink::TemporaryFile { part, .. } if has_answers => kept(part),
            OutputSink::WriterThread(_) | OutputSink::TemporaryFile { .. } => String::new(),
        }
    }
}

/// Extensions of compressed files.
const COMPRESSED: [&str; 4] = ["gz", "zst", "bz2", "xz"];
/// The folders in which open files are named by their descriptors.
const DESCRIPTORS: [&str; 2] = ["/dev/fd", "/proc/self/fd"];

/// Returns whether a path denotes a file that is open already.
fn is_open(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/stderr"]
        .iter()
        .any(|at| path == Path::new(at))
        || DESCRIPTORS.iter().any(|at| path.starts_with(at))
}

/// Returns whether an output replaces an existing file instead of being written to it.
pub fn is_replaced(output: &Path, before: Option<&Metadata>) -> bool {
    !is_open(output) && before.is_none_or(Metadata::is_file)
}

/// Returns whether a path denotes an open file, by its name or number.
fn is_descriptor(path: &Path, name: &str, number: &str) -> bool {
    path == Path::new(name)
        || DESCRIPTORS
            .iter()
            .any(|at| path == Path::new(at).join(number))
}

fn folder_of(file: &Path) -> &Path {
    file.parent()
        .filter(|folder| *folder != Path::new(""))
        .unwrap_or(Path::new("."))
}

/// Flushes the names in a folder to disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn write_one(file: &File, place: u64, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::FileExt;
    file.write_all_at(bytes, place)
}

#[cfg(not(unix))]
fn write_one(mut file: &File, _: u64, bytes: &[u8]) -> io::Result<()> {
    use std::io::Write;
    file.write_all(bytes)
}

/// Writes parts consecutively, starting at position `start`. After an error the file ends before
/// the failed part. A single thread writes: a file is locked during a write, so that several
/// threads would only wait for each other.
fn write_at(file: &File, start: u64, parts: &[&[u8]]) -> (usize, io::Result<()>) {
    let mut place = start;
    for (written, part) in parts.iter().enumerate() {
        if let Err(problem) = write_one(file, place, part) {
            // If truncating fails too, the first error is still the one to report.
            let _ = file.set_len(place);
            return (written, Err(problem));
        }
        place += part.len() as u64;
    }
    (parts.len(), Ok(()))
}

fn kept(part: NamedTempFile) -> String {
    match part.keep() {
        Ok((_, path)) => format!("; the answers up to there are in {}", shown_path(&path)),
        Err(failed) => format!(
            "; the answers up to there could not be kept: {}",
            failed.error
        ),
    }
}

fn open_file(
    path: &Path,
    secret: bool,
    interrupted: &'static AtomicBool,
) -> io::Result<OutputSink> {
    let before = match std::fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => None,
        Err(problem) => return Err(problem),
    };
    if !is_replaced(path, before.as_ref()) {
        if before.as_ref().is_some_and(is_pipe) {
            return open_pipe(path.to_owned(), interrupted).map(OutputSink::WriterThread);
        }
        return WriterThread::start(
            Box::new(File::options().append(true).open(path)?),
            interrupted,
        )
        .map(OutputSink::WriterThread);
    }
    if before.is_some() {
        // A file that is not writable is not replaced either.
        File::options().append(true).open(path)?;
    }
    // A link is kept; its target is replaced or created.
    let target = if before.is_some() {
        path.canonicalize()?
    } else {
        end_of_links(path)?
    };
    let name = target.file_name().filter(|_| !names_a_folder(&target));
    let name =
        name.ok_or_else(|| io::Error::other("this is the name of a folder, and not of a file"))?;
    let part = create(
        Builder::new().prefix(&prefix_of_part(name)),
        folder_of(&target),
        before.as_ref(),
        secret,
    )?;
    if secret && before.as_ref().is_some_and(is_open_to_others) {
        warn(&format!(
            "others had access to {}; now its owner alone has",
            shown_path(path)
        ));
    }
    Ok(OutputSink::TemporaryFile {
        part,
        length: 0,
        kept: 0,
        target,
    })
}

/// Returns whether a path ends like that of a folder, and therefore has no file name: `new/`, `..`.
fn names_a_folder(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.ends_with(b"/") || text.ends_with(b"/.") || text == b"."
}

/// Resolves a path that names no existing file: returns the path itself, or the end of a chain of
/// links.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    /// The number of links that Linux follows.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(next) => path = folder_of(&path).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("there are too many links"))
}

/// Returns the prefix of a temporary file's name: the final name, as far as the maximum length
/// permits.
fn prefix_of_part(name: &OsStr) -> OsString {
    /// The maximum length in bytes of a file name, and the parts that follow the prefix.
    const LONGEST: usize = 255;
    const END: &str = ".part-";
    const RANDOM: usize = 6;
    let most = LONGEST - END.len() - RANDOM;
    let mut prefix = match name.to_str() {
        Some(text) => OsString::from(&text[..text.floor_char_boundary(most)]),
        None if name.len() <= most => name.to_owned(),
        None => OsString::new(),
    };
    prefix.push(END);
    prefix
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Opens a named pipe once it has a reader. Checks first that it may be opened.
#[cfg(unix)]
fn open_pipe(path: PathBuf, interrupted: &'static AtomicBool) -> io::Result<WriterThread> {
    use nix::libc;
    use std::os::unix::fs::OpenOptionsExt;
    let without_waiting = File::options()
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(&path);
    // Kept until the pipe is opened again: otherwise its reader would see the end.
    let opened = match without_waiting {
        Err(problem) if problem.raw_os_error() != Some(libc::ENXIO) => return Err(problem),
        opened => opened,
    };
    WriterThread::start_by(
        move || {
            let pipe = File::options().write(true).open(path)?;
            drop(opened);
            Ok(Box::new(pipe))
        },
        interrupted,
    )
}

#[cfg(not(unix))]
fn open_pipe(path: PathBuf, interrupted: &'static AtomicBool) -> io::Result<WriterThread> {
    WriterThread::start_by(
        move || Ok(Box::new(File::options().write(true).open(path)?)),
        interrupted,
    )
}

/// Overwrites the target with the contents of a file, and with its permissions. Only the owner may
/// set permissions, so they are set first, while nothing is lost.
fn overwrite(target: &Path, mut part: &File, sync: bool) -> io::Result<()> {
    let mut file = File::options().write(true).open(target)?;
    let permissions = part.metadata()?.permissions();
    if file.metadata()?.permissions() != permissions {
        file.set_permissions(permissions)?;
    }
    file.set_len(0)?;
    part.rewind()?;
    io::copy(&mut part, &mut file)?;
    if sync { file.sync_all() } else { Ok(()) }
}

/// Creates a file with the permissions of the one that was there before, or by the user's mask; for
/// secrets only the owner's.
#[cfg(unix)]
fn create(
    builder: &mut Builder,
    folder: &Path,
    before: Option<&Metadata>,
    secret: bool,
) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    const OWNER: u32 = 0o600;
    const ALL: u32 = 0o666;
    let part = builder
        .permissions(Permissions::from_mode(if secret { OWNER } else { ALL }))
        .tempfile_in(folder)?;
    if let Some(before) = before.filter(|_| !secret) {
        part.as_file().set_permissions(before.permissions())?;
    }
    Ok(part)
}

#[cfg(not(unix))]
fn create(
    builder: &mut Builder,
    folder: &Path,
    _: Option<&Metadata>,
    _: bool,
) -> io::Result<NamedTempFile> {
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

/// Refuses an output that is the same file as a source: the source would be lost, or would grow
/// while it is read.
pub fn refuse_overwriting(source: &Path, output: Option<&Path>) -> Result<(), String> {
    match output.filter(|output| !is_standard_stream(output)) {
        Some(output) if same_file(source, output) => Err(format!(
            "{}: the output would overwrite an input",
            shown_path(output)
        )),
        None if same_file(source, Path::new("/dev/stdout")) => {
            Err("standard output goes to the file that is the input".to_owned())
        }
        _ => Ok(()),
    }
}

/// Returns whether two names denote the same place, where there may be no file yet.
#[cfg(feature = "chains")]
pub fn is_same_place(one: &Path, other: &Path) -> bool {
    same_file(one, other)
        || canonical_place(one).is_some_and(|one| Some(one) == canonical_place(other))
}

/// Returns the absolute path of a file in a folder that exists, without links if the file exists.
#[cfg(feature = "chains")]
fn canonical_place(path: &Path) -> Option<PathBuf> {
    match path.canonicalize() {
        Ok(path) => Some(path),
        Err(_) => Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?)),
    }
}

#[cfg(unix)]
fn same_file(source: &Path, output: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let source = if is_standard_stream(source) {
        Path::new("/dev/stdin")
    } else {
        source
    };
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
    fn parts_are_written_consecutively() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let parts: Vec<Vec<u8>> = (0..200)
            .map(|part| vec![part as u8; part * 37 % 1000])
            .collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let start = b"before";
        file.as_file().write_all_at(start, 0).unwrap();
        let (written, outcome) = write_at(file.as_file(), start.len() as u64, &parts);
        assert!(written == parts.len() && outcome.is_ok());
        assert_eq!(
            std::fs::read(file.path()).unwrap(),
            [&start[..], &parts.concat()].concat()
        );
    }

    #[test]
    fn file_is_overwritten_with_content_and_permissions_of_another() {
        use std::os::unix::fs::PermissionsExt;
        let [part, target] = [(); 2].map(|()| tempfile::NamedTempFile::new().unwrap());
        part.as_file().write_all_at(b"new", 0).unwrap();
        for mode in [0o644, 0o600, 0o600] {
            std::fs::write(&target, "longer than that").unwrap();
            part.as_file()
                .set_permissions(Permissions::from_mode(mode))
                .unwrap();
            overwrite(target.path(), part.as_file(), true).unwrap();
            assert_eq!(std::fs::read(&target).unwrap(), b"new");
            assert_eq!(
                std::fs::metadata(&target).unwrap().permissions().mode() & 0o777,
                mode
            );
        }
    }

    #[test]
    fn failed_write_returns_the_number_of_parts_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (written, outcome) = write_at(
            &File::open(file.path()).unwrap(),
            0,
            &[b"", b"", b"text", b"", b"more"],
        );
        assert!(written == 2 && outcome.is_err());
    }
}
