//! Private keys in PEM, any number per file.

use crate::pairs::{KeyPair, KeyPairs};
use crate::pem::{Block, blocks};
use crate::{KeyKind, der, openssh};

/// Reads the keys of all blocks that contain one, in order. A text without any is an error, because
/// it is something else.
pub fn read(text: &[u8], pairs: &mut KeyPairs) -> Result<(), String> {
    let before = pairs.len();
    let mut first_label = None;
    for block in blocks(text) {
        let block = block.map_err(|damage| damage.to_string())?;
        first_label.get_or_insert(block.label());
        let place = format!("block in line {}: ", block.line);
        let pair = pair(&block, pairs.kind()).map_err(|problem| format!("{place}{problem}"))?;
        pair.map_or(Ok(()), |pair| pairs.push(pair, &place))?;
    }
    match first_label {
        Some(Some(label)) if pairs.len() == before => {
            Err(format!("no private key: this is PEM of a {label}"))
        }
        Some(None) if pairs.len() == before => {
            Err("no private key: this is PEM with a label that is not known".to_owned())
        }
        _ => Ok(()),
    }
}

/// Reads the key of a block. Returns `None` for a block of another kind.
fn pair(block: &Block, kind: KeyKind) -> Result<Option<KeyPair>, String> {
    let read = match block.label() {
        Some("ENCRYPTED PRIVATE KEY") => return Err(der::ENCRYPTED.to_owned()),
        Some("OPENSSH PRIVATE KEY") => openssh::private_key,
        // OpenSSL has a label of its own for SM2. The content shows whether it is SEC 1 or PKCS#8.
        Some("EC PRIVATE KEY" | "SM2 PRIVATE KEY" | "PRIVATE KEY") if block.is_encrypted() => {
            return Err(der::ENCRYPTED.to_owned());
        }
        Some("EC PRIVATE KEY" | "SM2 PRIVATE KEY" | "PRIVATE KEY") => der::key,
        // Private keys in other formats.
        Some(label) if block.is_private() => {
            return Err(format!(
                "`{label}` is not supported; PRIVATE KEY, EC PRIVATE KEY and OPENSSH PRIVATE KEY are"
            ));
        }
        None if block.is_private() => {
            return Err(
                "its label is not known; PRIVATE KEY, EC PRIVATE KEY and OPENSSH PRIVATE KEY are"
                    .to_owned(),
            );
        }
        // Blocks that accompany keys: certificates, public keys, parameters.
        _ => return Ok(None),
    };
    let bytes = block
        .decode()
        .ok_or("not valid PEM: its contents are not base64")?;
    read(&bytes, kind).map(Some)
}
