//! Messages on a device.

use super::messages::Messages;
use crate::gpu::columns::{Codes, Column, Digests, Offsets, Texts};
use crate::gpu::runtime::Plan;
use crate::ops::hash::{TextColumns, on_device_codes};
use std::ops::Range;

/// The messages of a chunk: rows of 32 bytes, or byte strings with their offsets and a code for
/// those that fit on the device.
#[derive(Clone, Copy)]
pub struct MessageColumns {
    pub data: Column<Texts>,
    pub offsets: Option<Column<Offsets>>,
    pub on_device: Option<Column<Codes>>,
}

impl MessageColumns {
    pub fn new<'a>(plan: &mut Plan<'a>, messages: &'a Messages<'_>, items: Range<usize>) -> Self {
        match messages {
            Messages::Rows(rows) => {
                let rows = plan.input::<Digests>(rows.slice(items).bytes());
                MessageColumns {
                    data: rows.into(),
                    offsets: None,
                    on_device: None,
                }
            }
            Messages::Texts(texts) => {
                let TextColumns { data, offsets } = TextColumns::new(plan, texts, items.clone());
                let on_device = on_device_codes(plan, texts, items.start);
                MessageColumns {
                    data,
                    offsets: Some(offsets),
                    on_device: Some(on_device),
                }
            }
        }
    }
}

impl Messages<'_> {
    /// Returns the total length in bytes of messages that are not rows.
    pub fn data_bytes(&self, items: &Range<usize>) -> usize {
        match self {
            Messages::Rows(_) => 0,
            Messages::Texts(texts) => texts.bytes(items),
        }
    }
}
