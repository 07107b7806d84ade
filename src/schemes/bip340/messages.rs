//! The messages of a batch.

use crate::engine::Engine;
use crate::ops::hash::SizedTexts;
use crate::types::{Error, Rows};

/// Messages of 32 bytes as rows, or messages of any length.
pub enum Messages<'a> {
    Rows(Rows<'a, 32>),
    Texts(SizedTexts<'a>),
}

impl<'a> Messages<'a> {
    pub fn get(&self, item: usize) -> &'a [u8] {
        match self {
            Messages::Rows(rows) => rows.get(item),
            Messages::Texts(texts) => texts.get(item),
        }
    }

    /// Returns the average length of a message.
    pub fn average(&self) -> usize {
        match self {
            Messages::Rows(_) => 32,
            Messages::Texts(texts) => texts.average(),
        }
    }

    pub fn len_for(&self, items: usize) -> usize {
        match self {
            Messages::Rows(rows) => rows.len_for(items),
            Messages::Texts(texts) => texts.items(),
        }
    }
}

/// Wraps messages of any length.
pub fn texts<'a>(
    engine: &Engine,
    messages: &'a [impl AsRef<[u8]> + Sync],
) -> Result<Messages<'a>, Error> {
    let cpu = &engine.devices()?.cpu;
    Ok(Messages::Texts(SizedTexts::new(
        cpu,
        messages.len(),
        |item| messages[item].as_ref(),
    )))
}
