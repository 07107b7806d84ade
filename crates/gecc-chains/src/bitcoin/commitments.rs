//! Commitments of taproot outputs to scripts (BIP 341): an output's key is an internal key plus a
//! multiple of G that is derived from that key and the root of a tree of scripts.

use super::answers::Reason;
use super::script::OTHER_SCRIPT;
use gecc::{Engine, PublicKeys, Rejection, Rows, Verdict, tweak};

/// The contents of a control block, and the output that it has to match.
#[derive(Clone, Copy)]
pub struct Commitment {
    pub internal_key: [u8; 32],
    pub root: [u8; 32],
    pub output_key: [u8; 32],
    /// True if the output's key has an odd y.
    pub is_odd: bool,
}

impl Commitment {
    /// Returns whether `point`, `x || y`, is the output's key.
    fn is_met(&self, point: &[u8; 64]) -> bool {
        point[..32] == self.output_key && (point[63] & 1 == 1) == self.is_odd
    }

    /// Returns the reason why a computed point with its code is not the output's key; `None` if it
    /// is.
    fn reason_of_failure(&self, point: &[u8; 64], code: u8) -> Option<Reason> {
        if code == Verdict::VALID_CODE && self.is_met(point) {
            return None;
        }
        Some(match Rejection::from_code(code) {
            Some(Rejection::MalformedPoint | Rejection::NotOnCurve) => {
                Reason::Malformed("the control block's key is not on the curve")
            }
            _ => OTHER_SCRIPT,
        })
    }
}

/// The commitments of some inputs.
#[derive(Default)]
pub struct Commitments {
    /// All commitments, each with the index of the answer that it decides.
    all: Vec<(usize, Commitment)>,
}

impl Commitments {
    pub fn push(&mut self, answer: usize, commitment: Commitment) {
        self.all.push((answer, commitment));
    }

    /// Returns the number of bytes in memory.
    pub fn bytes(&self) -> usize {
        self.all.len() * size_of::<(usize, Commitment)>()
    }
}

/// Computes the output keys of all parts of a batch. Returns, for each part, the answers whose
/// computed key differs from the output's, with the reason.
///
/// # Errors
/// Errors of the engine.
pub fn verify(
    engine: &Engine,
    parts: &[&Commitments],
) -> Result<Vec<Vec<(usize, Reason)>>, gecc::Error> {
    let mut keys = Vec::new();
    let mut roots = Vec::new();
    for (_, commitment) in parts.iter().flat_map(|part| &part.all) {
        keys.push(commitment.internal_key);
        roots.push(commitment.root);
    }
    let mut points = vec![[0; 64]; keys.len()];
    let mut codes = vec![0; keys.len()];
    let roots = Some(Rows::from(&roots));
    tweak::taproot_into(
        engine,
        PublicKeys::x_only(&keys),
        roots,
        &mut points,
        &mut codes,
    )?;
    let mut computed = points.iter().zip(codes);
    let not_met = parts.iter().map(|part| {
        let of_part = part.all.iter().zip(computed.by_ref());
        let reasons = of_part.filter_map(|((answer, commitment), (point, code))| {
            commitment
                .reason_of_failure(point, code)
                .map(|reason| (*answer, reason))
        });
        reasons.collect()
    });
    Ok(not_met.collect())
}
