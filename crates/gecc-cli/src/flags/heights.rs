//! Numbers of blocks.

use gecc_chains::Blocks;

/// A number, decimal or hexadecimal behind 0x.
pub fn number(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
        _ => text.parse(),
    };
    number.map_err(|_| "a number, such as 18000000 or 0x112a880".to_owned())
}

/// A range of blocks, which has one at least.
pub fn blocks(from: Option<u64>, to: Option<u64>) -> Result<Blocks, String> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(format!("--from {from} is behind --to {to}")),
        _ => Ok(Blocks { from, to }),
    }
}
