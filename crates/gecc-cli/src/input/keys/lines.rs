//! A key a line: hexadecimal, or JSON Lines or CSV with the field `secret_key`.

use crate::input::records::Records;
use crate::secrets::wiped::push;
use gecc::SecretKey;
use std::io::Read;

/// Reads keys as `gecc pubkey` does. These name no curve.
pub fn keys(source: Box<dyn Read + Send>) -> Result<Vec<SecretKey>, String> {
    let mut records = Records::new(source, None, true).map_err(|problem| problem.to_string())?;
    let mut keys = Vec::new();
    while let Some(record) = records.next().map_err(|problem| problem.to_string())? {
        let key = record.fields.and_then(|fields| fields.secret_key());
        push(&mut keys, key.map_err(|problem| format!("line {}: {problem}", record.line))?);
    }
    Ok(keys)
}
