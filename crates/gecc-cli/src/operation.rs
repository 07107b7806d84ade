//! What a command does with items: an [`Operation`] over columns, which knows nothing of where these come from.

use crate::output::Line;
use gecc::{CurveId, Engine, PublicKeys, Rows};

/// Which columns an operation reads.
#[derive(Clone, Copy, Default)]
pub struct Reads {
    /// Digests, or messages.
    pub contents: bool,
    pub signatures: bool,
    pub public_keys: bool,
    pub recovery_ids: RecoveryIds,
    pub secret_keys: bool,
    /// Whether messages are the operation's to hash. Others are hashed with SHA-256 where they are read.
    pub messages: bool,
    /// Whether they have user ids.
    pub user_ids: bool,
    /// Whether a public key may be an x-coordinate alone.
    pub x_only_keys: bool,
}

impl Reads {
    /// Whether private keys are all that is read.
    pub fn are_keys_alone(self) -> bool {
        let Reads { contents, signatures, public_keys, recovery_ids, secret_keys, .. } = self;
        secret_keys && !contents && !signatures && !public_keys && recovery_ids == RecoveryIds::No
    }
}

/// Whether an operation reads recovery ids.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum RecoveryIds {
    #[default]
    No,
    /// Where items have them. Those that have none, or one that is no recovery id, get [`NO_RECOVERY_ID`].
    Optional,
    Required,
}

/// In place of a recovery id that an item does not have: none is so large.
pub const NO_RECOVERY_ID: u8 = u8::MAX;

/// What a command does with items.
pub trait Operation: Sync {
    /// What the items that pass have become, for the summary.
    const PASSED: &'static str;
    /// Whether answers are verdicts, which say `valid`, and not results.
    const GIVES_VERDICTS: bool = false;
    /// Whether answers are secret.
    const GIVES_SECRETS: bool = false;

    fn reads(&self) -> Reads;

    fn curve(&self) -> CurveId;

    /// The fields of an item that passed, in the order in which they are written.
    fn fields(&self) -> Vec<&'static str>;

    /// Bytes of an item's result.
    fn width(&self) -> usize {
        0
    }

    /// Computes items. Afterwards each has a code, and where that is `Verdict::VALID_CODE` a result.
    fn compute(&self, engine: &Engine, columns: &Columns, results: Results) -> Result<(), gecc::Error>;

    /// Writes the fields of an item that passed, by its result.
    fn answer(&self, result: &[u8], line: &mut Line);

    /// The number of the first item that cannot be computed, with all after it, and why.
    fn limit(&self) -> Option<(u64, String)> {
        None
    }

    /// The same over tables of Arrow, and its curve.
    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: TableAnswers) -> (gecc_arrow::Operation, CurveId);

    /// Answers with the results of their items, one after the other, as the columns that `over_tables` has.
    #[cfg(feature = "arrow")]
    fn columns(&self, _results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        answers
    }

    /// What to say after so many items.
    fn warning(&self, _items: u64) -> Option<String> {
        None
    }
}

/// How the answers to the rows of a table are written.
#[cfg(feature = "arrow")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TableAnswers {
    /// As lines, by [`Operation::answer`]: results are those of [`Operation::compute`].
    Lines,
    /// As columns.
    Columns,
}

/// Inputs of some items. Columns that the operation does not read are empty.
pub struct Columns<'a> {
    pub numbers: Numbers<'a>,
    pub contents: Contents<'a>,
    pub signatures: Rows<'a, 64>,
    pub public_keys: PublicKeys<'a>,
    pub recovery_ids: Rows<'a, 1>,
    pub secret_keys: Rows<'a, 32>,
}

/// Which items of the input these are, counted from 0.
#[derive(Clone, Copy)]
pub enum Numbers<'a> {
    From(u64),
    Each(&'a [u64]),
}

/// What is signed.
#[derive(Clone, Copy)]
pub enum Contents<'a> {
    Digests(Rows<'a, 32>),
    /// Each with its user id, where it has one: for operations that hash messages themselves.
    Messages {
        messages: &'a [&'a [u8]],
        ids: &'a [&'a [u8]],
    },
}

impl<'a> Contents<'a> {
    /// For operations whose messages are hashed where they are read.
    pub fn digests(&self) -> Rows<'a, 32> {
        match self {
            Contents::Digests(digests) => *digests,
            Contents::Messages { .. } => unreachable!("the operation reads no messages"),
        }
    }
}

/// Where the results of some items go.
pub struct Results<'a> {
    pub codes: &'a mut [u8],
    /// So many bytes for each item as the operation's results have.
    pub rows: &'a mut [u8],
}

impl Results<'_> {
    /// The rows as results of this width.
    pub fn rows_of<const W: usize>(&mut self) -> (&mut [[u8; W]], &mut [u8]) {
        (self.rows.as_chunks_mut().0, self.codes)
    }
}
