//! A key a line: hexadecimal, or JSON Lines or CSV with the field `secret_key`.

use crate::input::items;
use crate::input::names::Names;
use crate::secrets::wiped::push;
use gecc::SecretKey;
use std::io::Read;

/// Reads keys as `gecc pubkey` does. These name no curve.
pub fn keys(source: Box<dyn Read + Send>) -> Result<Vec<SecretKey>, String> {
    let mut keys = Vec::new();
    items::each(source, None, Names::of_keys(), |line, fields| {
        let key = fields.and_then(|fields| fields.secret_key());
        push(&mut keys, key.map_err(|problem| format!("line {line}: {problem}"))?);
        Ok(())
    })?;
    Ok(keys)
}
