//! Files with private keys.

use crate::flags::StreamOptions;
use crate::input::keys;
use crate::input::records;
use crate::output::{note, refuse_overwriting};
use gecc::stack;
use gecc::{CurveId, SecretKey, SecretKeys};
use std::io::Read;
use std::path::Path;

/// The private keys of a batch: one for all items, or one per item.
pub struct KeyFile {
    keys: Vec<SecretKey>,
}

impl KeyFile {
    /// Reads keys in any of their forms, `-` being standard input. One that cannot be used is an error here. Keys that name a
    /// curve have to name this one. `streams` says where else the command reads and writes.
    #[expect(dead_code, reason = "the commands still call `read`, which knows no curve")]
    pub fn open(path: &Path, curve: CurveId, streams: &StreamOptions) -> Result<Self, String> {
        if [path, &streams.input].iter().all(|path| *path == Path::new("-")) {
            return Err("the key file and the input are both standard input: name a file for one of them".to_owned());
        }
        Self::checked(path, streams.output.as_deref(), |source| keys::read(source, curve))
    }

    /// Reads keys that name no curve, one a line.
    pub fn read(path: &Path, output: Option<&Path>) -> Result<Self, String> {
        Self::checked(path, output, keys::lines::keys)
    }

    fn checked(
        path: &Path,
        output: Option<&Path>,
        read: impl FnOnce(Box<dyn Read + Send>) -> Result<Vec<SecretKey>, String>,
    ) -> Result<Self, String> {
        refuse_overwriting(path, output)?;
        warn_if_exposed(path);
        let keys = stack::wiped(|| {
            let (source, _) = records::open(path).map_err(|problem| problem.to_string())?;
            let keys = read(source)?;
            if keys.is_empty() { Err("no key in the file".to_owned()) } else { Ok(keys) }
        });
        Ok(KeyFile { keys: keys.map_err(|problem| format!("{}: {problem}", path.display()))? })
    }

    /// The number of the key for the item with this index.
    pub fn number(&self, index: u64) -> Result<usize, String> {
        if self.keys.len() == 1 {
            return Ok(0);
        }
        let number = usize::try_from(index).ok().filter(|number| *number < self.keys.len());
        number.ok_or_else(|| format!("the key file has {} keys, none for this item", self.keys.len()))
    }

    /// Passes `work` the keys with these numbers, one per item or one for all.
    pub fn with<R>(&self, numbers: &[usize], work: impl FnOnce(SecretKeys) -> R) -> R {
        if let [key] = self.keys.as_slice() {
            return work(SecretKeys::all(key));
        }
        // Allocated once: a vector that grows would leave its old contents behind.
        let mut keys = Vec::with_capacity(numbers.len());
        keys.extend(numbers.iter().map(|&number| self.keys[number].clone()));
        work(SecretKeys::each(&keys))
    }

    /// Keys that no item used point to a file that does not belong to the input.
    pub fn surplus(&self, items: u64) -> Option<String> {
        let keys = self.keys.len();
        (keys > 1 && keys as u64 > items).then(|| format!("the key file has {keys} keys for {items} items"))
    }
}

/// Others who can read a key can use it; the file is the user's, so this is a warning.
#[cfg(unix)]
pub fn warn_if_exposed(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0) {
        note(&format!("gecc: warning: {} can be read by other users", path.display()));
    }
}

#[cfg(not(unix))]
pub fn warn_if_exposed(_: &Path) {}
