//! Options of measurements.

use crate::engine::EngineOptions;
use crate::measure::{BatchOptions, PublicCall};
use clap::Args;

// A paragraph is one line: clap breaks it where the terminal ends.

pub const BENCH_HELP: &str = "\
From the caller's memory to the caller's memory, by the clock. Figures are medians after a warm-up on fresh random inputs; results \
are checked outside the measured time. Ed25519 stands beside secp256k1, and is verified by the rule of ZIP 215.

Examples:
  gecc bench --curve p256 --engine cpu
  gecc bench --operations verify,sign --items 4194304 --json";

#[derive(Args)]
pub struct BenchOptions {
    #[command(flatten)]
    pub batches: BatchOptions,
    /// Only these, separated by commas.
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
            assert!(line.is_empty() || is_example || line.ends_with(['.', ':']), "{line}");
        }
    }
}
