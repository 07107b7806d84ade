//! Sources of private keys: key files, or the items themselves.

use crate::flags::StreamOptions;
use crate::input::fields::counted;
use crate::input::keys::{self, KeyFileContent};
use crate::input::open::{Input, is_standard_stream, open};
use crate::output::{path_error, refuse_overwriting, shown_path, warn};
use crate::secrets::buffers::Wiped;
use gecc::stack;
use gecc::{SecretKey, SecretKeys};
use gecc_keys::{KeyKind, are_secret_keys, unsupported_file};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// The private keys of all items.
pub enum KeySource {
    /// The keys of a file: one for all items, or one per item.
    File(Arc<Vec<SecretKey>>),
    /// Each item has its own key, in `secret_key`.
    OfItems,
}

/// The indices of items in the input, counted from 0.
#[derive(Clone, Copy)]
pub enum ItemNumbers<'a> {
    From(u64),
    Each(&'a [u64]),
}

impl KeySource {
    /// Reads the keys of a file in any of the supported forms, if one is given; `-` is standard
    /// input. An unusable key is an error here. Keys that state their purpose have to match `kind`.
    /// `streams` are the other inputs and outputs of the command.
    pub fn open(
        path: Option<&Path>,
        kind: KeyKind,
        streams: &StreamOptions,
    ) -> Result<Self, String> {
        let Some(path) = path else {
            return Ok(KeySource::OfItems);
        };
        if is_standard_stream(path) && streams.inputs.iter().any(|path| is_standard_stream(path)) {
            return Err(
                "the key file and the input are both standard input: name a file for one of them"
                    .to_owned(),
            );
        }
        refuse_overwriting(path, streams.output.as_deref())?;
        warn_if_exposed(path);
        // Keys are on the stack during the work.
        let keys = stack::wiped(|| {
            let source = open(path)
                .map_err(|problem| problem.to_string())?
                .into_reader();
            let keys = keys::read(source, kind)?;
            if keys.is_empty() {
                Err("no key in the file".to_owned())
            } else {
                Ok(keys)
            }
        });
        let keys = keys.map_err(|problem| path_error(path, problem))?;
        Ok(KeySource::File(Arc::new(keys)))
    }

    pub fn are_of_items(&self) -> bool {
        matches!(self, KeySource::OfItems)
    }

    /// Returns the number of keys in a file with one per item.
    fn per_item(&self) -> Option<usize> {
        match self {
            KeySource::File(keys) => Some(keys.len()).filter(|keys| *keys > 1),
            KeySource::OfItems => None,
        }
    }

    /// Returns the number of the first item without a key, and the error for it. Returns `None` if
    /// every item has a key.
    pub fn limit(&self) -> Option<(u64, String)> {
        self.per_item().map(|keys| {
            (
                keys as u64,
                format!("the key file has {keys} keys, none for this item"),
            )
        })
    }

    /// Calls `work` with the keys of the given items, all of which have one. `own` are the keys in
    /// the items.
    pub fn of_items<R>(
        &self,
        numbers: ItemNumbers,
        own: SecretKeys,
        items: usize,
        work: impl FnOnce(SecretKeys) -> R,
    ) -> R {
        let KeySource::File(keys) = self else {
            return work(own);
        };
        match (keys.as_slice(), numbers) {
            ([key], _) => work(SecretKeys::all(key)),
            (keys, ItemNumbers::From(first)) => {
                work(SecretKeys::each(&keys[key_index(first)..][..items]))
            }
            (keys, ItemNumbers::Each(numbers)) => {
                // Allocated once, because a growing vector would leave its old contents behind.
                let mut each = Vec::with_capacity(items);
                each.extend(
                    numbers
                        .iter()
                        .map(|number| keys[key_index(*number)].clone()),
                );
                work(SecretKeys::each(&each))
            }
        }
    }

    /// Returns a message if the file has more keys than items, since it may not belong to the
    /// input.
    pub fn surplus(&self, items: u64) -> Option<String> {
        let keys = self.per_item().filter(|keys| *keys as u64 > items)?;
        Some(format!(
            "the key file has {keys} keys for {}",
            counted(items as usize, "item")
        ))
    }

    /// Returns the keys for the rows of a table.
    #[cfg(feature = "arrow")]
    pub fn for_tables(&self) -> gecc_arrow::Key {
        match self {
            KeySource::File(keys) => match keys.as_slice() {
                [key] => gecc_arrow::Key::All(key.clone()),
                _ => gecc_arrow::Key::Each(Arc::clone(keys)),
            },
            KeySource::OfItems => gecc_arrow::Key::Column,
        }
    }
}

/// Returns the index of the key of an item that has one.
fn key_index(number: u64) -> usize {
    usize::try_from(number).expect("the item has a key")
}

/// Converts private keys in PEM, DER or JWK to a text with one key per line. Other inputs are
/// returned unchanged.
///
/// # Errors
/// Returns the errors of key files, which do not show any key.
pub fn as_lines(input: Input, kind: KeyKind) -> Result<Input, String> {
    if let Input::File(file) = &input {
        let head = file.head();
        if !are_secret_keys(&head) && unsupported_file(&head).is_none() {
            return Ok(input);
        }
    }
    // Keys are on the stack during the work.
    stack::wiped(|| match keys::read_content(input.into_reader(), kind)? {
        KeyFileContent::Lines(source) => Ok(Input::Stream(source)),
        KeyFileContent::Keys(found) => {
            let mut lines = Wiped::new(vec![b'\n'; found.len() * 65]);
            for (line, key) in lines.chunks_exact_mut(65).zip(&found) {
                const_hex::encode_to_slice(key.expose_bytes(), &mut line[..64])
                    .expect("two digits for a byte");
            }
            Ok(Input::Stream(Box::new(Cursor::new(lines))))
        }
    })
}

/// Warns if others may read a key file, since whoever can read a key can use it. The file is the
/// user's, so this is not an error.
#[cfg(unix)]
pub fn warn_if_exposed(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o044 != 0) {
        warn(&format!("{} can be read by other users", shown_path(path)));
    }
}

#[cfg(not(unix))]
pub fn warn_if_exposed(_: &Path) {}
