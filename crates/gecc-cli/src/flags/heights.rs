//! Block numbers, and magic numbers of networks.

use gecc_chains::Blocks;

/// Parses a number that is decimal, or hexadecimal after 0x.
pub fn number(text: &str) -> Result<u64, String> {
    let number = match text.strip_prefix("0x") {
        Some(digits) if !digits.starts_with('+') => u64::from_str_radix(digits, 16),
        _ => text.parse(),
    };
    number.map_err(|_| "a number, such as 18000000 or 0x112a880".to_owned())
}

/// Parses four bytes in hexadecimal, in the order in which files contain them.
pub fn magic(text: &str) -> Result<[u8; 4], String> {
    let mut magic = [0; 4];
    const_hex::decode_to_slice(text, &mut magic)
        .map_err(|_| "eight hexadecimal digits, such as a5df2dcb".to_owned())?;
    Ok(magic)
}

/// Makes a range of blocks, which must not be empty.
pub fn blocks(from: Option<u64>, to: Option<u64>) -> Result<Blocks, String> {
    match (from, to) {
        (Some(from), Some(to)) if from > to => Err(format!("--from {from} is behind --to {to}")),
        _ => Ok(Blocks { from, to }),
    }
}
