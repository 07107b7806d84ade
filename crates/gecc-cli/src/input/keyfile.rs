//! Files with private keys.

use crate::input::records::{Records, open};
use crate::output::{note, refuse_overwriting};
use crate::secrets::wiped::push;
use gecc::stack;
use gecc::{SecretKey, SecretKeys};
use std::path::Path;

/// The private keys of a batch: one for all items, or one per item.
pub struct KeyFile {
    keys: Vec<SecretKey>,
}

impl KeyFile {
    /// Reads keys as `gecc pubkey` does; here one that cannot be used is an error. `output` is where answers will go.
    pub fn read(path: &Path, output: Option<&Path>) -> Result<Self, String> {
        refuse_overwriting(path, output)?;
        warn_if_exposed(path);
        stack::wiped(|| Self::read_keys(path))
    }

    fn read_keys(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let (source, _) = open(path).map_err(|problem| format!("{name}: {problem}"))?;
        let mut records = Records::new(source, None, true).map_err(|problem| format!("{name}: {problem}"))?;
        let mut keys = Vec::new();
        while let Some(record) = records.next().map_err(|problem| format!("{name}: {problem}"))? {
            let key = record.fields.and_then(|fields| fields.secret_key());
            push(&mut keys, key.map_err(|problem| format!("{name}, line {}: {problem}", record.line))?);
        }
        if keys.is_empty() { Err(format!("{name}: no key in the file")) } else { Ok(KeyFile { keys }) }
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
