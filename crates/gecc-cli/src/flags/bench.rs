//! Options of `gecc bench`.

use crate::curve::{any, or_all};
use crate::engine::EngineOptions;
use clap::{Args, ValueEnum};
use gecc::CurveId;
use gecc::call::Operation;
use gecc::ecdsa::{Policy, SForm};
use gecc::ed25519::Rule;
use gecc::hash_to_curve::Suite;
use gecc::mask::Form;
use gecc::x25519::AllZero;

// A paragraph is one line: clap breaks it where the terminal ends.

pub const BENCH_HELP: &str = "\
Rates are measured from and to the caller's memory, in wall-clock time. They are medians after a \
warm-up, with fresh random inputs; results are checked outside the measured time. Ed25519 and \
X25519 are measured together with secp256k1; Ed25519 is verified by the rule of ZIP 215.

Examples:
  gecc bench --curve p256 --engine cpu
  gecc bench --operations verify,sign --items 4194304 --json";

/// An operation that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum BenchOperation {
    Verify,
    /// Verification with recovery ids, in groups.
    BatchVerify,
    Recover,
    RecoverAddresses,
    Sign,
    /// BIP 340, with x-only keys.
    #[value(name = "bip340_verify")]
    Bip340Verify,
    /// BIP 340 verification in groups.
    #[value(name = "bip340_batch_verify")]
    Bip340BatchVerify,
    #[value(name = "bip340_sign")]
    Bip340Sign,
    Ecdh,
    /// Items of 32 bytes, hashed by a suite of RFC 9380 or by try-and-rehash on SM2, times one key.
    Mask,
    /// Points times one key.
    MaskPoints,
    PublicKeys,
    /// Ed25519 by the rule of ZIP 215, over messages of 32 bytes.
    #[value(name = "ed25519_verify")]
    Ed25519Verify,
    /// Ed25519 verification in groups.
    #[value(name = "ed25519_batch_verify")]
    Ed25519BatchVerify,
    /// Ed25519 signing from seeds.
    #[value(name = "ed25519_sign")]
    Ed25519Sign,
    /// Shared secrets of X25519.
    #[value(name = "x25519")]
    X25519,
}

impl BenchOperation {
    /// Returns the operation on a curve, if it exists there. Ed25519 and X25519 are measured
    /// together with secp256k1.
    pub fn on(self, curve: CurveId) -> Option<Operation> {
        let policy = Policy::default();
        let is_secp256k1 = curve == CurveId::Secp256k1;
        let (exists, operation) = match self {
            BenchOperation::Verify => (true, Operation::verify(curve, policy)),
            BenchOperation::BatchVerify => (
                curve.has_ecdsa(),
                Operation::EcdsaVerifyRecoverable(curve, policy),
            ),
            BenchOperation::Recover => (curve.has_ecdsa(), Operation::EcdsaRecover(curve)),
            BenchOperation::RecoverAddresses => (is_secp256k1, Operation::EcdsaRecoverAddresses),
            BenchOperation::Sign => (true, Operation::sign(curve, SForm::default())),
            BenchOperation::Bip340Verify | BenchOperation::Bip340BatchVerify => {
                (is_secp256k1, Operation::Bip340Verify)
            }
            BenchOperation::Bip340Sign => (is_secp256k1, Operation::Bip340Sign),
            BenchOperation::Ecdh => (true, Operation::SharedSecrets(curve)),
            BenchOperation::Mask => {
                let suite = suite_of(curve)?;
                (true, Operation::MaskItems(suite, Form::Compressed))
            }
            BenchOperation::MaskPoints => (true, Operation::MaskPoints(curve, Form::Compressed)),
            BenchOperation::PublicKeys => (true, Operation::PublicKeys(curve)),
            BenchOperation::Ed25519Verify | BenchOperation::Ed25519BatchVerify => {
                (is_secp256k1, Operation::Ed25519Verify(Rule::Zip215))
            }
            BenchOperation::Ed25519Sign => (is_secp256k1, Operation::Ed25519Sign),
            BenchOperation::X25519 => (is_secp256k1, Operation::X25519(AllZero::Reject)),
        };
        exists.then_some(operation)
    }

    /// Returns whether the operation is measured with `EngineBuilder::batch_verification`.
    pub fn is_batch_verification(self) -> bool {
        matches!(
            self,
            BenchOperation::BatchVerify
                | BenchOperation::Bip340BatchVerify
                | BenchOperation::Ed25519BatchVerify
        )
    }

    /// Returns the name on the command line.
    pub fn name(self) -> String {
        self.to_possible_value()
            .expect("none is skipped")
            .get_name()
            .to_owned()
    }
}

/// Returns the suite that is measured on a curve, if it has any.
fn suite_of(curve: CurveId) -> Option<Suite> {
    let preferred = [Suite::P256SswuRo, Suite::Secp256k1SswuRo, Suite::Sm2Rehash];
    preferred.into_iter().find(|suite| suite.curve() == curve)
}

#[derive(Args)]
pub struct BenchOptions {
    /// The curve [default: all].
    #[arg(long, value_parser = any())]
    pub curve: Option<CurveId>,
    /// Items in a batch [default: 16384 on the CPU, 1048576 on a GPU].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub items: Option<u32>,
    /// Print JSON Lines instead of a table.
    #[arg(long)]
    pub json: bool,
    /// The operations to measure, separated by commas [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    pub operations: Vec<BenchOperation>,
    #[command(flatten)]
    pub engine: EngineOptions,
}

impl BenchOptions {
    /// Returns the requested curve, or all curves.
    pub fn curves(&self) -> Vec<CurveId> {
        or_all(self.curve)
    }

    /// Returns the requested number of items, or `default`.
    pub fn items(&self, default: usize) -> usize {
        self.items.map_or(default, |items| items as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{keys, signatures};
    use super::BENCH_HELP;

    #[test]
    fn paragraphs_of_the_help_are_not_broken() {
        let texts = [
            BENCH_HELP,
            keys::ECDH_HELP,
            keys::PUBKEY_HELP,
            signatures::RECOVER_HELP,
            signatures::SIGN_HELP,
            signatures::VERIFY_HELP,
        ];
        for line in texts.into_iter().flat_map(str::lines) {
            let is_example = line.starts_with("  gecc ") || line.starts_with("  echo ");
            assert!(
                line.is_empty() || is_example || line.ends_with(['.', ':']),
                "{line}"
            );
        }
    }
}
