//! Calls that compute an operation of the library's: what they have in common, from their columns to their results.

use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::progress::Piece;
use super::status::{Failure, GeccStatus, call};
use gecc::call::{Columns, Contents, Operation};
use gecc::ed25519::Variant;
use gecc::sm2::UserIds;
use gecc::{Rows, SecretKeys};
use std::ptr::{null, null_mut};

/// What is signed, as a caller gives it.
#[derive(Clone, Copy)]
pub(crate) enum Signed {
    /// Rows of 32 bytes, with the name of the column.
    Rows(&'static str, GeccRows),
    /// As many messages as items, and user ids of this number.
    Messages(*const GeccBytes, *const GeccBytes, usize),
}

impl Signed {
    /// Messages without user ids.
    pub fn messages(messages: *const GeccBytes) -> Self {
        Signed::Messages(messages, null(), 0)
    }

    /// # Safety
    /// As for `Memory::reads`.
    pub unsafe fn read<'a>(self, memory: &Memory, items: usize) -> Result<ReadSigned<'a>, Failure> {
        // SAFETY: passed on.
        unsafe {
            Ok(match self {
                Signed::Rows(name, rows) => ReadSigned::Rows(memory.reads(name, rows)?),
                Signed::Messages(messages, user_ids, user_id_count) => {
                    let messages = memory.reads_strings("messages", messages, items)?;
                    let count = if items == 0 { 0 } else { user_id_count };
                    let user_ids = memory.reads_strings("user_ids", user_ids, count)?;
                    if ![0, 1, items].contains(&user_ids.len()) {
                        return Err(Failure::invalid(format!("user_ids: {} for {items} items", user_ids.len())));
                    }
                    ReadSigned::Messages(messages, user_ids)
                }
            })
        }
    }
}

/// What is signed, to be computed with.
pub(crate) enum ReadSigned<'a> {
    Rows(Rows<'a, 32>),
    /// Messages, and no user id, one for all or one for each.
    Messages(Vec<&'a [u8]>, Vec<&'a [u8]>),
}

impl ReadSigned<'_> {
    /// Messages, whose lengths also end a piece.
    pub fn messages(&self) -> Option<&[&[u8]]> {
        match self {
            ReadSigned::Rows(_) => None,
            ReadSigned::Messages(messages, _) => Some(messages),
        }
    }

    /// That of some items. One id for a batch of one item is the id of that item either way.
    pub fn of(&self, piece: Piece) -> Contents<'_> {
        match self {
            ReadSigned::Rows(rows) => Contents::Digests(piece.of(*rows)),
            ReadSigned::Messages(messages, user_ids) => Contents::Messages {
                messages: piece.of_all(messages),
                user_ids: match &user_ids[..] {
                    [] => UserIds::default(),
                    [id] => UserIds::all(id),
                    ids => UserIds::each(piece.of_all(ids)),
                },
            },
        }
    }
}

/// What a call reads: columns that its operation does not read are not there. Those that go by several names have
/// theirs.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub signed: Option<Signed>,
    pub signatures: Option<GeccRows>,
    pub recovery_ids: Option<GeccRows>,
    pub secret_keys: Option<(&'static str, GeccRows)>,
    /// Null as their data where there are none.
    pub additional_data: GeccRows,
    pub public_keys: Option<(&'static str, GeccKeys)>,
    pub candidates: Option<GeccKeys>,
    /// That of Ed25519, by who reads it.
    pub variant: &'a dyn Fn(&Memory) -> Result<Variant, Failure>,
}

impl Inputs<'_> {
    pub const NONE: Inputs<'static> = Inputs {
        signed: None,
        signatures: None,
        recovery_ids: None,
        secret_keys: None,
        additional_data: GeccRows { data: null(), stride: 0 },
        public_keys: None,
        candidates: None,
        variant: &|_| Ok(Variant::PURE),
    };

    pub fn of_verification(signed: Signed, signatures: GeccRows, keys: GeccKeys) -> Self {
        Inputs { signed: Some(signed), signatures: Some(signatures), public_keys: Some(("keys", keys)), ..Inputs::NONE }
    }

    pub fn of_signing(signed: Signed, secret_keys: GeccRows, additional_data: GeccRows) -> Self {
        Inputs {
            signed: Some(signed),
            secret_keys: Some(("secret_keys", secret_keys)),
            additional_data,
            ..Inputs::NONE
        }
    }
}

/// The rows of a result: the name of the column, and where they go.
pub(crate) type ResultColumn = (&'static str, *mut u8);

/// Where an operation has fewer results.
pub(crate) const NO_RESULT: ResultColumn = ("", null_mut());

/// Computes an operation, and writes the results that it has and a code for each item.
///
/// # Safety
/// As for `Memory::reads`.
pub(crate) unsafe fn compute(
    engine: *const GeccEngine,
    operation: impl FnOnce() -> Result<Operation, Failure>,
    items: usize,
    inputs: Inputs,
    [first, second]: [ResultColumn; 2],
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is told to `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let operation = operation()?;
        let mut memory = Memory::of(items);
        let widths = [0, 1].map(|which| operation.results().get(which).map_or(0, |column| column.width));
        let first = memory.writes_wide(first, widths[0])?;
        let codes = memory.writes("codes", codes)?;
        let second = memory.writes_wide(second, widths[1])?;
        let variant = (inputs.variant)(&memory)?;
        let signed = inputs.signed.map(|signed| signed.read(&memory, items)).transpose()?;
        let signatures = inputs.signatures.map(|rows| memory.reads("signatures", rows)).transpose()?;
        let recovery_ids = inputs.recovery_ids.map(|rows| memory.reads("recovery_ids", rows)).transpose()?;
        let secret_keys = inputs.secret_keys.map(|(name, rows)| memory.reads(name, rows)).transpose()?;
        let additional = memory.reads_given("additional_data", inputs.additional_data)?;
        let public_keys = inputs.public_keys.map(|(name, keys)| memory.reads_keys(name, keys)).transpose()?;
        let candidates = inputs.candidates.map(|keys| memory.reads_keys("candidates", keys)).transpose()?;
        let first = first.rows().as_flattened_mut();
        let second = second.rows().as_flattened_mut();
        let messages = signed.as_ref().and_then(ReadSigned::messages);
        codes.answer(engine, messages, |piece, codes| {
            let none = Columns::default();
            let columns = Columns {
                contents: signed.as_ref().map_or(none.contents, |signed| signed.of(piece)),
                signatures: piece.of(signatures).unwrap_or(none.signatures),
                recovery_ids: piece.of(recovery_ids).unwrap_or(none.recovery_ids),
                public_keys: piece.of(public_keys).unwrap_or(none.public_keys),
                secret_keys: piece.of(secret_keys).map_or(none.secret_keys, SecretKeys::rows),
                additional: piece.of(additional),
                candidates: piece.of(candidates),
                variant,
                ..none
            };
            operation.run(engine, &columns, piece.wide(first, widths[0]), piece.wide(second, widths[1]), codes)
        })
    })
}
