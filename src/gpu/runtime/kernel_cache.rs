//! The cache of kernels compiled on this machine: a folder with one file per kernel unit.
//!
//! A file's name contains the hash of everything that went into the compilation. Its header
//! contains the hash of that name and of the content. A file that is damaged, renamed, or writable
//! by another user is never loaded; its kernels are compiled again.

use super::kernel_files::{content_hash, open_trusted, stem, write_whole};
use super::nvrtc::{Nvrtc, Text};
use super::sources::Unit;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Environment variable with the path of a folder to use instead of the user's cache.
pub const FOLDER_VARIABLE: &str = "GECC_KERNEL_CACHE";

const MAGIC: &[u8; 16] = b"gecc kernels v1\n";

/// A folder of compiled kernels; `None` if the user has no cache folder.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Option<PathBuf>,
}

/// Returns the path in an environment variable, unless the variable is empty or not set.
fn path_in(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// Returns the folder in the user's cache folder, according to the XDG Base Directory
/// specification.
fn user_folder() -> Option<PathBuf> {
    let caches = path_in("XDG_CACHE_HOME").or_else(|| Some(path_in("HOME")?.join(".cache")))?;
    Some(caches.join("gecc"))
}

impl Cache {
    /// Returns the cache that the environment selects: `GECC_KERNEL_CACHE`, or `gecc` in the user's
    /// cache folder.
    pub fn of_user() -> Self {
        Cache {
            folder: path_in(FOLDER_VARIABLE).or_else(user_folder),
        }
    }

    pub fn at(folder: &Path) -> Self {
        Cache {
            folder: Some(folder.to_owned()),
        }
    }

    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Compiles a unit and stores it.
    ///
    /// # Errors
    /// The reason why it could not be compiled or written.
    pub fn build(&self, unit: Unit, architecture: &str, nvrtc: Nvrtc) -> Result<PathBuf, String> {
        self.write(
            unit,
            architecture,
            nvrtc,
            &nvrtc.compile(unit, architecture)?,
        )
    }

    /// Returns the machine code of a unit, if the cache contains it complete and in a trusted file:
    /// compiled by this version of NVRTC, or without NVRTC by any version.
    pub fn read(&self, unit: Unit, architecture: &str, nvrtc: Option<&Nvrtc>) -> Option<Vec<u8>> {
        let folder = self.folder.as_ref()?;
        let stem = stem(unit, architecture);
        match nvrtc {
            Some(nvrtc) => read_checked(&folder.join(file_name(&stem, *nvrtc)), &stem),
            // Any version that was used for compiling ahead of time.
            None => fs::read_dir(folder)
                .ok()?
                .filter_map(|entry| Some(entry.ok()?.path()))
                .filter(|path| {
                    path.file_name()
                        .is_some_and(|name| name.to_string_lossy().starts_with(&stem))
                })
                .find_map(|path| read_checked(&path, &stem)),
        }
    }

    /// Returns the machine code of a unit and the assembler's report. Both are stored in one file
    /// next to that of `write`, and compiled if it does not exist yet.
    ///
    /// # Errors
    /// The reason why it could not be compiled or written.
    pub fn with_report(
        &self,
        unit: Unit,
        architecture: &str,
        nvrtc: Nvrtc,
    ) -> Result<(Vec<u8>, String), String> {
        let stem = format!("{}report-", stem(unit, architecture));
        let path = self
            .folder
            .as_ref()
            .map(|folder| folder.join(file_name(&stem, nvrtc)));
        if let Some(kept) = path
            .and_then(|path| read_checked(&path, &stem))
            .and_then(split_report)
        {
            return Ok(kept);
        }
        let (cubin, report) = nvrtc.compile_with_report(&Text::of(unit), architecture)?;
        let content = [
            &(report.len() as u64).to_le_bytes(),
            report.as_bytes(),
            &cubin,
        ]
        .concat();
        self.keep(&stem, nvrtc, &content)?;
        Ok((cubin, report))
    }

    /// Stores the machine code of a unit.
    ///
    /// # Errors
    /// The reason why it could not be written.
    pub fn write(
        &self,
        unit: Unit,
        architecture: &str,
        nvrtc: Nvrtc,
        cubin: &[u8],
    ) -> Result<PathBuf, String> {
        self.keep(&stem(unit, architecture), nvrtc, cubin)
    }

    fn keep(&self, stem: &str, nvrtc: Nvrtc, content: &[u8]) -> Result<PathBuf, String> {
        let folder = self
            .folder
            .as_deref()
            .ok_or("the user has no place for compiled kernels")?;
        let name = file_name(stem, nvrtc);
        write_whole(
            folder,
            &name,
            &[MAGIC, &content_hash(stem, content), content],
        )
        .map_err(|problem| format!("writing to {}: {problem}", folder.display()))?;
        Ok(folder.join(name))
    }
}

pub fn file_name(stem: &str, nvrtc: Nvrtc) -> String {
    let (major, minor) = nvrtc.version;
    format!("{stem}nvrtc{major}.{minor}.cubin")
}

/// Returns the content of a file if it is complete and trusted.
fn read_checked(path: &Path, stem: &str) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    open_trusted(path).ok()?.read_to_end(&mut content).ok()?;
    let (hash, cubin) = content.strip_prefix(MAGIC)?.split_at_checked(32)?;
    (content_hash(stem, cubin) == hash).then(|| cubin.to_vec())
}

/// Splits a file of `with_report` into the machine code and the report.
fn split_report(content: Vec<u8>) -> Option<(Vec<u8>, String)> {
    let (length, rest) = content.split_first_chunk()?;
    let (report, cubin) =
        rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    Some((cubin.to_vec(), String::from_utf8(report.to_vec()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process;

    const UNIT: Unit = Unit {
        file: "layout",
        curve: "p256",
    };
    const NVRTC: Nvrtc = Nvrtc { version: (13, 0) };

    fn cache(name: &str) -> Cache {
        let folder = env::temp_dir().join(format!("gecc-cache-test-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        Cache {
            folder: Some(folder),
        }
    }

    #[test]
    fn cache_returns_stored_code() {
        let cache = cache("round-trip");
        assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)), None);
        cache.write(UNIT, "sm_90", NVRTC, b"code").unwrap();
        assert_eq!(
            cache.read(UNIT, "sm_90", Some(&NVRTC)),
            Some(b"code".to_vec())
        );
        // Without NVRTC, any version is accepted. A unit compiled for another version,
        // architecture, file or curve is not found.
        assert_eq!(cache.read(UNIT, "sm_90", None), Some(b"code".to_vec()));
        assert_eq!(
            cache.read(UNIT, "sm_90", Some(&Nvrtc { version: (13, 1) })),
            None
        );
        assert_eq!(cache.read(UNIT, "sm_80", Some(&NVRTC)), None);
        assert_eq!(
            cache.read(
                Unit {
                    file: "fpmul",
                    ..UNIT
                },
                "sm_90",
                Some(&NVRTC)
            ),
            None
        );
        assert_eq!(
            cache.read(
                Unit {
                    curve: "sm2",
                    ..UNIT
                },
                "sm_90",
                Some(&NVRTC)
            ),
            None
        );
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    #[test]
    fn damaged_files_are_not_read() {
        let cache = cache("damaged");
        let path = cache.write(UNIT, "sm_90", NVRTC, b"some code").unwrap();
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(
                cache.read(UNIT, "sm_90", Some(&NVRTC)),
                None,
                "cut to {length}"
            );
        }
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            fs::write(&path, &changed).unwrap();
            assert_eq!(
                cache.read(UNIT, "sm_90", Some(&NVRTC)),
                None,
                "byte {place}"
            );
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
        // Only root can change the owner of a file.
        if std::os::unix::fs::chown(&path, Some(54321), None).is_ok() {
            let trusted = rustix::process::geteuid().as_raw() == 54321;
            assert_eq!(cache.read(UNIT, "sm_90", Some(&NVRTC)).is_some(), trusted);
        }
        fs::remove_dir_all(cache.folder().unwrap()).unwrap();
    }

    #[test]
    fn cache_is_disabled_if_its_folder_cannot_be_created() {
        let blocked = cache("blocked");
        let folder = blocked.folder().unwrap().to_owned();
        fs::write(&folder, "a file in the way").unwrap();
        assert!(blocked.write(UNIT, "sm_90", NVRTC, b"code").is_err());
        assert_eq!(blocked.read(UNIT, "sm_90", None), None);
        fs::remove_file(&folder).unwrap();
    }
}
