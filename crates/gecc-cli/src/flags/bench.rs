//! Options of measurements.

use crate::engine::EngineOptions;
use crate::measure::{BatchOptions, PublicCall};
use clap::Args;

// A paragraph is one line: clap breaks it where the terminal ends.

pub const BENCH_HELP: &str = "\
Rates are measured from and to the caller's memory, in wall-clock time. They are medians after a \
warm-up, with fresh random inputs; results are checked outside the measured time. Ed25519 is \
measured together with secp256k1, and verified by the rule of ZIP 215.

Examples:
  gecc bench --curve p256 --engine cpu
  gecc bench --operations verify,sign --items 4194304 --json";

#[derive(Args)]
pub struct BenchOptions {
    #[command(flatten)]
    pub batches: BatchOptions,
    /// The operations to measure, separated by commas [default: all].
    #[arg(long, value_enum, value_delimiter = ',')]
    pub operations: Vec<PublicCall>,
    #[command(flatten)]
    pub engine: EngineOptions,
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
