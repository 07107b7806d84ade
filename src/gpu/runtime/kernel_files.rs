//! Files of machine code: how kernels are identified, which files are trusted, and how they are
//! written.

use super::nvrtc::OPTIONS;
use super::sources::{HEADERS, Unit};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::Path;
use std::sync::LazyLock;
use std::{fs, io};

/// The state of the hash after the inputs that all units share, which are most of them.
static SHARED: LazyLock<Sha256> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    HEADERS
        .iter()
        .flat_map(|(name, text)| [*name, *text])
        .for_each(|text| add(&mut hash, text));
    OPTIONS.iter().for_each(|option| add(&mut hash, option));
    hash
});

/// Adds a text to a hash, prefixed by its length so that adjacent texts cannot run together.
fn add(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

/// Returns the hash of everything that goes into the compilation of a unit.
pub fn source_hash(unit: Unit, architecture: &str) -> [u8; 16] {
    let mut hash = SHARED.clone();
    [unit.curve_header(), unit.source(), unit.file, architecture]
        .iter()
        .for_each(|text| add(&mut hash, text));
    hash.finalize()[..16]
        .try_into()
        .expect("SHA-256 has 32 bytes")
}

/// Returns the hash of everything that goes into the compilation of all operations, except the
/// architecture.
pub fn sources_hash() -> String {
    let mut hash = Sha256::new();
    Unit::all().for_each(|unit| hash.update(source_hash(unit, "")));
    hexadecimal(&hash.finalize()[..16])
}

/// Returns the file stem that identifies the machine code of a unit.
pub fn stem(unit: Unit, architecture: &str) -> String {
    let hash = hexadecimal(&source_hash(unit, architecture));
    format!("{}-{}-{architecture}-{hash}-", unit.file, unit.curve)
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the hash by which machine code is checked before it is loaded.
pub fn content_hash(stem: &str, cubin: &[u8]) -> [u8; 32] {
    Sha256::new()
        .chain_update(stem)
        .chain_update([0])
        .chain_update(cubin)
        .finalize()
        .into()
}

/// Opens a file if it is trusted.
///
/// # Errors
/// The reason why it was not opened; the kind is `NotFound` if the file does not exist.
pub fn open_trusted(path: &Path) -> io::Result<fs::File> {
    let mut options = fs::File::options();
    // Opening a pipe without a writer would block forever. The flag does not affect regular files.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits() as i32,
    );
    let file = options.read(true).open(path)?;
    // The metadata of the open file, which cannot be exchanged any more.
    if is_trusted(&file.metadata()?) {
        return Ok(file);
    }
    Err(io::Error::other(
        "it does not belong to root or to this user, can be written by others, or is not a regular file",
    ))
}

/// Returns whether a file belongs to this user or to root and is not writable by others.
#[cfg(unix)]
fn is_trusted(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = metadata.uid();
    metadata.is_file()
        && (owner == 0 || owner == rustix::process::geteuid().as_raw())
        && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_trusted(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

/// Creates the folder if necessary, writes a temporary file in it, and renames the file, so that
/// readers see either all of it or nothing.
pub fn write_whole(folder: &Path, name: &str, parts: &[&[u8]]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    // The name is unique to this call, because other devices and other processes, including those
    // of other containers, may be writing the same file.
    let random = getrandom::u64().map_err(|problem| io::Error::other(problem.to_string()))?;
    let temporary = folder.join(format!(".{name}.{random:016x}.tmp"));
    let written =
        write_new(&temporary, parts).and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut options = fs::File::options();
    // The mode is independent of the user's umask: `is_trusted` rejects files that a group can
    // write.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    let mut file = options.write(true).create_new(true).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.sync_all()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::path::PathBuf;
    use std::sync::mpsc;
    use std::time::Duration;
    use std::{env, process, thread};

    /// A temporary folder of a test, empty at first and removed on drop.
    pub struct Folder(pub PathBuf);

    impl Folder {
        pub fn new(name: &str) -> Self {
            let path = env::temp_dir().join(format!("gecc-kernel-files-{}-{name}", process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).expect("the temporary folder is writable");
            Folder(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn source_hash_depends_on_unit_and_architecture() {
        let mut hashes: Vec<_> = Unit::all()
            .flat_map(|unit| ["sm_80", "sm_90"].map(|architecture| source_hash(unit, architecture)))
            .collect();
        hashes.sort_unstable();
        let count = hashes.len();
        hashes.dedup();
        assert_eq!(hashes.len(), count);
    }

    /// A pipe without a writer is rejected without waiting.
    #[cfg(unix)]
    #[test]
    fn open_trusted_rejects_pipes() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = Folder::new("pipe");
        let path = folder.0.join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
            .expect("the temporary folder has pipes");
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(open_trusted(&path).map(|_| ())));
        let opened = receiver
            .recv_timeout(Duration::from_secs(60))
            .expect("it does not block");
        assert!(
            opened
                .unwrap_err()
                .to_string()
                .contains("is not a regular file")
        );
    }
}
