//! Compiled kernels on disk.
//!
//! A file's name holds the hash of everything that went into the compilation; its head holds the hash of that name and of the
//! content. What is damaged, renamed, or could have been written by somebody else, is compiled again and never loaded.

use super::nvrtc::{Nvrtc, OPTIONS};
use super::sources::{HEADERS, Unit};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Names another folder than the user's cache.
const FOLDER_VARIABLE: &str = "GECC_KERNEL_CACHE";

const MAGIC: &[u8; 16] = b"gecc kernels v1\n";

/// Where a compiled kernel came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Disk,
    Compiled,
}

/// A folder of compiled kernels; `None` where the user has no place for one.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// The folder that the environment names: `GECC_KERNEL_CACHE`, or `gecc` in the user's cache folder.
    pub fn of_user() -> Self {
        let path = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
        let user = || path("XDG_CACHE_HOME").or_else(|| Some(path("HOME")?.join(".cache"))).map(|dir| dir.join("gecc"));
        Cache { folder: path(FOLDER_VARIABLE).or_else(user) }
    }

    pub fn at(folder: &Path) -> Self {
        Cache { folder: Some(folder.to_owned()) }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The machine code of a unit, from disk or compiled now and kept.
    ///
    /// # Errors
    /// Why it is neither on disk nor can be compiled. A cache that cannot be written is none.
    pub fn load(&self, unit: Unit, architecture: &str) -> Result<(Vec<u8>, Origin), String> {
        let nvrtc = Nvrtc::find();
        if let Some(cubin) = self.read(unit, architecture, nvrtc.as_ref().ok()) {
            return Ok((cubin, Origin::Disk));
        }
        let nvrtc = nvrtc.map_err(|problem| {
            format!(
                "{problem}. It compiles the kernels: install it and name its folder in GECC_NVRTC_DIR, or name a folder in \
                 {FOLDER_VARIABLE} that `gecc kernels build` has filled elsewhere"
            )
        })?;
        let cubin = nvrtc.compile(unit, architecture)?;
        // The next process compiles again, which costs time only.
        let _ = self.write(unit, architecture, nvrtc, &cubin);
        Ok((cubin, Origin::Compiled))
    }

    /// Compiles a unit and stores it.
    ///
    /// # Errors
    /// Why it could not be compiled or written.
    pub fn build(&self, unit: Unit, architecture: &str, nvrtc: Nvrtc) -> Result<PathBuf, String> {
        let cubin = nvrtc.compile(unit, architecture)?;
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        let describe = |problem| format!("writing to {}: {problem}", folder.display());
        self.write(unit, architecture, nvrtc, &cubin).map_err(describe)
    }

    fn read(&self, unit: Unit, architecture: &str, nvrtc: Option<&Nvrtc>) -> Option<Vec<u8>> {
        let folder = self.folder.as_ref()?;
        let stem = stem(unit, architecture);
        match nvrtc {
            Some(nvrtc) => read_checked(&folder.join(file_name(&stem, *nvrtc)), &stem),
            // Whichever version was used ahead of time.
            None => fs::read_dir(folder)
                .ok()?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem)))
                .find_map(|path| read_checked(&path, &stem)),
        }
    }

    /// Writes a file of its own and renames it, so that a reader sees all of it or nothing.
    fn write(&self, unit: Unit, architecture: &str, nvrtc: Nvrtc, cubin: &[u8]) -> io::Result<PathBuf> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(folder)?;
        let stem = stem(unit, architecture);
        let path = folder.join(file_name(&stem, nvrtc));
        // Of this call alone: other devices and other processes, also of other containers, may be writing the same.
        let random = getrandom::u64().map_err(|problem| io::Error::other(problem.to_string()))?;
        let temporary = folder.join(format!(".{}.{}.{random:016x}.tmp", unit.file, unit.curve));
        let written = write_new(&temporary, &[MAGIC, &content_hash(&stem, cubin), cubin])
            .and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| path)
    }
}

fn write_new(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut options = fs::File::options();
    // Whatever the user's file mode mask is: `is_trusted` refuses what a group can write.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    let mut file = options.write(true).create_new(true).open(path)?;
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.sync_all()
}

fn stem(unit: Unit, architecture: &str) -> String {
    let mut hash = Sha256::new();
    // Lengths keep neighbouring texts apart.
    let mut add = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    };
    HEADERS.iter().for_each(|(name, text)| {
        add(name);
        add(text);
    });
    OPTIONS.iter().for_each(|option| add(option));
    [unit.curve_header(), unit.source(), unit.file, architecture].iter().for_each(|text| add(text));
    let hash: String = hash.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{architecture}-{hash}-", unit.file, unit.curve)
}

fn content_hash(stem: &str, cubin: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(stem).chain_update([0]).chain_update(cubin).finalize().into()
}

fn file_name(stem: &str, nvrtc: Nvrtc) -> String {
    let (major, minor) = nvrtc.version;
    format!("{stem}nvrtc{major}.{minor}.cubin")
}

/// The content of a file that is whole and trusted.
fn read_checked(path: &Path, stem: &str) -> Option<Vec<u8>> {
    let file = fs::File::open(path).ok()?;
    if !is_trusted(&file.metadata().ok()?) {
        return None;
    }
    let mut content = Vec::new();
    io::Read::read_to_end(&mut io::BufReader::new(file), &mut content).ok()?;
    let (hash, cubin) = content.strip_prefix(MAGIC)?.split_at_checked(32)?;
    (content_hash(stem, cubin) == hash).then(|| cubin.to_vec())
}

/// Written by this user or by root, and writable by nobody else.
#[cfg(unix)]
fn is_trusted(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = metadata.uid();
    metadata.is_file() && (owner == 0 || owner == rustix::process::geteuid().as_raw()) && metadata.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_trusted(metadata: &fs::Metadata) -> bool {
    metadata.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process;

    const UNIT: Unit = Unit { file: "layout", curve: "p256" };
    const NVRTC: Nvrtc = Nvrtc { version: (13, 0) };

    fn cache(name: &str) -> Cache {
        let folder = env::temp_dir().join(format!("gecc-cache-test-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache { folder: Some(folder) }
    }

    #[test]
    fn what_was_written_is_read() {
        let cache = cache("round-trip");
        assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), None);
        cache.write(UNIT, "sm_90", NVRTC, b"code").unwrap();
        assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), Some(b"code".to_vec()));
        // Without NVRTC whichever version there is serves; with another version, another architecture, unit or curve, none.
        assert_eq!(cache.read(UNIT, "sm_90", None), Some(b"code".to_vec()));
        assert_eq!(cache.read(UNIT, "sm_90", Some(&Nvrtc { version: (13, 1) })), None);
        assert_eq!(cache.read(UNIT, "sm_80", Some(&NVRTC)), None);
        assert_eq!(cache.read(Unit { file: "fpmul", ..UNIT }, "sm_90", Some(&NVRTC)), None);
        assert_eq!(cache.read(Unit { curve: "sm2", ..UNIT }, "sm_90", Some(&NVRTC)), None);
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    #[test]
    fn damaged_files_are_not_read() {
        let cache = cache("damaged");
        let path = cache.write(UNIT, "sm_90", NVRTC, b"some code").unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), None, "cut to {length}");
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), None, "byte {place}");
        }
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_can_write_are_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let cache = cache("writable");
        let path = cache.write(UNIT, "sm_90", NVRTC, b"code").unwrap();
        for mode in [0o666, 0o620, 0o602] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), None, "{mode:o}");
        }
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn files_of_others_are_not_read() {
        let cache = cache("foreign");
        let path = cache.write(UNIT, "sm_90", NVRTC, b"code").unwrap();
        // Only root can give a file away.
        if std::os::unix::fs::chown(&path, Some(54321), None).is_ok() {
            let trusted = rustix::process::geteuid().as_raw() == 54321;
            assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)).is_some(), trusted);
        }
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    /// What the engine does at its first use of a kernel.
    #[test]
    #[cfg_attr(gecc_tests_without_nvrtc, ignore = "needs NVRTC; GECC_REQUIRE_NVRTC=1 where this is built makes it run")]
    fn kernels_are_compiled_where_none_are_whole() {
        let unit = Unit::of("rows", "");
        let nvrtc = Nvrtc::find().expect("there is NVRTC");
        let cache = cache("load");
        let (code, origin) = cache.load(unit, "sm_90").unwrap();
        assert_eq!(origin, Origin::Compiled);
        assert_eq!(cache.load(unit, "sm_90").unwrap(), (code.clone(), Origin::Disk));
        let path = cache.folder().unwrap().join(file_name(&stem(unit, "sm_90"), nvrtc));
        let whole = fs::read(&path).unwrap();
        // Cut off, another file's, one that cannot be read as a file: replaced.
        for damage in [&whole[..whole.len() - 1], b"", b"something else"] {
            fs::write(&path, damage).unwrap();
            assert_eq!(cache.load(unit, "sm_90").unwrap(), (code.clone(), Origin::Compiled));
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        // Several devices and processes may write the same at once.
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    (0..50).for_each(|_| _ = cache.write(unit, "sm_90", nvrtc, &code).unwrap());
                });
                scope.spawn(|| (0..50).for_each(|_| assert_eq!(cache.read(unit, "sm_90", None), Some(code.clone()))));
            }
        });
        assert_eq!(fs::read_dir(cache.folder().unwrap()).unwrap().count(), 1, "nothing is left over");
        // Where nothing can be written, everything works all the same.
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
        fs::write(cache.folder().unwrap(), "a file in the way").unwrap();
        assert_eq!(cache.load(unit, "sm_90").unwrap(), (code, Origin::Compiled));
        fs::remove_file(cache.folder().unwrap()).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_cache() {
        let blocked = cache("blocked");
        let folder = blocked.folder().unwrap().to_owned();
        fs::write(&folder, "a file in the way").unwrap();
        assert!(blocked.write(UNIT, "sm_90", NVRTC, b"code").is_err());
        assert_eq!(blocked.read(UNIT, "sm_90", None), None);
        fs::remove_file(&folder).unwrap();
    }
}
