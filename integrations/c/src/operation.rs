//! The common part of calls that compute an operation of the library, from their columns to their
//! results.

use super::ed25519_variant::{GeccEd25519Variant, variant_of};
use super::engine::{GeccEngine, engine_of};
use super::memory::{GeccBytes, GeccKeys, GeccRows, Memory};
use super::progress::Piece;
use super::status::{Failure, GeccStatus, call};
use gecc::call::{Columns, Contents, Operation, Options};
use gecc::hash_to_curve::Dst;
use gecc::sm2::UserIds;
use gecc::{Rows, SecretKeys};
use std::ptr::{null, null_mut};

/// The signed contents as passed by a caller.
#[derive(Clone, Copy)]
pub(crate) enum SignedContents {
    /// Rows of 32 bytes, with the name of the column.
    Rows(&'static str, GeccRows),
    /// Messages, one per item, and user ids with their number.
    Messages(*const GeccBytes, *const GeccBytes, usize),
}

impl SignedContents {
    /// Makes contents of messages without user ids.
    pub fn messages(messages: *const GeccBytes) -> Self {
        SignedContents::Messages(messages, null(), 0)
    }

    /// Reads the contents.
    ///
    /// # Safety
    /// See `Memory::reads`.
    pub unsafe fn read<'a>(
        self,
        memory: &Memory,
        items: usize,
    ) -> Result<CheckedContents<'a>, Failure> {
        // SAFETY: passed on.
        unsafe {
            Ok(match self {
                SignedContents::Rows(name, rows) => {
                    CheckedContents::Rows(memory.reads(name, rows)?)
                }
                SignedContents::Messages(messages, user_ids, user_id_count) => {
                    let messages = memory.reads_strings("messages", messages, items)?;
                    let count = if items == 0 { 0 } else { user_id_count };
                    let user_ids = memory.reads_strings("user_ids", user_ids, count)?;
                    if ![0, 1, items].contains(&user_ids.len()) {
                        return Err(Failure::invalid(format!(
                            "user_ids: {} for {items} items",
                            user_ids.len()
                        )));
                    }
                    CheckedContents::Messages(messages, user_ids)
                }
            })
        }
    }
}

/// The signed contents after reading.
pub(crate) enum CheckedContents<'a> {
    Rows(Rows<'a, 32>),
    /// Messages, with user ids: none, one for all items, or one per item.
    Messages(Vec<&'a [u8]>, Vec<&'a [u8]>),
}

impl CheckedContents<'_> {
    /// Returns the messages, whose lengths also limit a piece.
    pub fn messages(&self) -> Option<&[&[u8]]> {
        match self {
            CheckedContents::Rows(_) => None,
            CheckedContents::Messages(messages, _) => Some(messages),
        }
    }

    /// Returns the contents of a piece. A single id for a batch of one item is the id of that item
    /// either way.
    pub fn of(&self, piece: Piece) -> Contents<'_> {
        match self {
            CheckedContents::Rows(rows) => Contents::Digests(piece.of(*rows)),
            CheckedContents::Messages(messages, user_ids) => Contents::Messages {
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

/// The inputs of a call. Columns that its operation does not read are absent. Columns with
/// different names in different calls carry their name.
#[derive(Clone, Copy)]
pub(crate) struct CallInputs {
    pub signed: Option<SignedContents>,
    pub signatures: Option<GeccRows>,
    pub recovery_ids: Option<GeccRows>,
    pub secret_keys: Option<(&'static str, GeccRows)>,
    /// Its data is null if there is none.
    pub additional_data: GeccRows,
    pub public_keys: Option<(&'static str, GeccKeys)>,
    pub candidates: Option<GeccKeys>,
    /// The variant of Ed25519, or null.
    pub variant: *const GeccEd25519Variant,
    /// The domain separation tag of hashing to a curve; no bytes if there is none.
    pub dst: GeccBytes,
}

impl CallInputs {
    pub const NONE: CallInputs = CallInputs {
        signed: None,
        signatures: None,
        recovery_ids: None,
        secret_keys: None,
        additional_data: GeccRows {
            data: null(),
            stride: 0,
        },
        public_keys: None,
        candidates: None,
        variant: null(),
        dst: GeccBytes {
            data: null(),
            length: 0,
        },
    };

    pub fn of_verification(signed: SignedContents, signatures: GeccRows, keys: GeccKeys) -> Self {
        CallInputs {
            signed: Some(signed),
            signatures: Some(signatures),
            public_keys: Some(("keys", keys)),
            ..CallInputs::NONE
        }
    }

    pub fn of_signing(
        signed: SignedContents,
        secret_keys: GeccRows,
        additional_data: GeccRows,
    ) -> Self {
        CallInputs {
            signed: Some(signed),
            secret_keys: Some(("secret_keys", secret_keys)),
            additional_data,
            ..CallInputs::NONE
        }
    }
}

/// The rows of a result: the name of the column, and the destination.
pub(crate) type ResultColumn = (&'static str, *mut u8);

/// An absent result, for operations with fewer results.
pub(crate) const NO_RESULT: ResultColumn = ("", null_mut());

/// Computes an operation, and writes its results and a code for each item.
///
/// # Safety
/// See `Memory::reads`.
pub(crate) unsafe fn compute(
    engine: *const GeccEngine,
    operation: impl FnOnce() -> Result<Operation, Failure>,
    items: usize,
    inputs: CallInputs,
    [first, second]: [ResultColumn; 2],
    codes: *mut u8,
) -> GeccStatus {
    // SAFETY: the caller's promises; all memory is checked by `memory` before results are written.
    call(|| unsafe {
        let engine = engine_of(engine)?;
        let operation = operation()?;
        let mut memory = Memory::of(items);
        let widths = [0, 1].map(|which| {
            operation
                .results()
                .get(which)
                .map_or(0, |column| column.width)
        });
        let first = memory.writes_wide(first, widths[0])?;
        let codes = memory.writes("codes", codes)?;
        let second = memory.writes_wide(second, widths[1])?;
        let dst = memory.reads_values("dst", inputs.dst.data, inputs.dst.length)?;
        let options = Options {
            variant: variant_of(&memory, inputs.variant)?,
            dst: Dst::new(dst),
            ..Options::default()
        };
        let signed = inputs
            .signed
            .map(|signed| signed.read(&memory, items))
            .transpose()?;
        let signatures = inputs
            .signatures
            .map(|rows| memory.reads("signatures", rows))
            .transpose()?;
        let recovery_ids = inputs
            .recovery_ids
            .map(|rows| memory.reads("recovery_ids", rows))
            .transpose()?;
        let secret_keys = inputs
            .secret_keys
            .map(|(name, rows)| memory.reads(name, rows))
            .transpose()?;
        let additional = memory.reads_given("additional_data", inputs.additional_data)?;
        let public_keys = inputs
            .public_keys
            .map(|(name, keys)| memory.reads_keys(name, keys))
            .transpose()?;
        let candidates = inputs
            .candidates
            .map(|keys| memory.reads_keys("candidates", keys))
            .transpose()?;
        let first = first.rows().as_flattened_mut();
        let second = second.rows().as_flattened_mut();
        let messages = signed.as_ref().and_then(CheckedContents::messages);
        codes.answer(engine, messages, |piece, codes| {
            let none = Columns::default();
            let columns = Columns {
                contents: signed
                    .as_ref()
                    .map_or(none.contents, |signed| signed.of(piece)),
                signatures: piece.of(signatures).unwrap_or(none.signatures),
                recovery_ids: piece.of(recovery_ids).unwrap_or(none.recovery_ids),
                public_keys: piece.of(public_keys).unwrap_or(none.public_keys),
                secret_keys: piece
                    .of(secret_keys)
                    .map_or(none.secret_keys, SecretKeys::rows),
                additional: piece.of(additional),
                candidates: piece.of(candidates),
                options,
            };
            operation.run(
                engine,
                &columns,
                piece.wide(first, widths[0]),
                piece.wide(second, widths[1]),
                codes,
            )
        })
    })
}
