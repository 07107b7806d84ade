//! Files with private keys.

use crate::fields::secret_key;
use gecc::SecretKey;
use std::path::Path;
use zeroize::Zeroizing;

/// The private keys of a batch: one for all items, or one per item.
pub struct KeyFile {
    keys: Vec<SecretKey>,
}

impl KeyFile {
    /// Reads one hexadecimal key a line; blank lines and lines that start with # are skipped.
    pub fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        warn_if_exposed(path);
        let text = std::fs::read_to_string(path).map_err(|problem| format!("{name}: {problem}"))?;
        let text = Zeroizing::new(text);
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let keys = lines
            .map(|(index, line)| secret_key(line).map_err(|problem| format!("{name}, line {}: {problem}", index + 1)))
            .collect::<Result<Vec<_>, _>>()?;
        if keys.is_empty() { Err(format!("{name}: no key in the file")) } else { Ok(KeyFile { keys }) }
    }

    /// The key of the item with this index.
    pub fn get(&self, index: u64) -> Result<SecretKey, String> {
        if let [key] = self.keys.as_slice() {
            return Ok(key.clone());
        }
        let key = usize::try_from(index).ok().and_then(|index| self.keys.get(index));
        key.cloned().ok_or_else(|| format!("the key file has {} keys, none for this item", self.keys.len()))
    }
}

/// Others who can read a key can use it; the file is the user's, so this is a warning.
#[cfg(unix)]
fn warn_if_exposed(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o077 != 0) {
        eprintln!("gecc: warning: {} can be read by other users", path.display());
    }
}

#[cfg(not(unix))]
fn warn_if_exposed(_: &Path) {}
