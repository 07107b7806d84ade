//! Private keys as PEM (RFC 7468), any number in one file.

use crate::KeyKind;
use crate::der::{ENCRYPTED, pkcs8_key, sec1_key};
use crate::openssh;
use crate::pairs::{Pair, Pairs};
use crate::without_mark;
use pem_rfc7468::Decoder;
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const END: &[u8] = b"-----END ";

/// Whether a line begins a block. Text may stand before it.
pub fn begins(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n').any(|line| without_mark(line).starts_with(BEGIN))
}

/// The keys of all blocks that hold one, in their order. A text without any is something else, and an error.
pub fn read(text: &[u8], pairs: &mut Pairs) -> Result<(), String> {
    let before = pairs.len();
    let (mut first_label, mut open) = (None, None);
    // Where the line that is looked at ends.
    let mut end = text.len() - without_mark(text).len();
    for (number, line) in (1..).zip(text[end..].split_inclusive(|byte| *byte == b'\n')) {
        let start = end;
        end += line.len();
        match open {
            None if line.starts_with(BEGIN) => open = Some((number, start)),
            Some((first, _)) if line.starts_with(BEGIN) => return Err(has_no_end(first)),
            Some((first, start)) if line.starts_with(END) => {
                let block = &text[start..end];
                first_label.get_or_insert(label(block));
                let place = format!("block in line {first}: ");
                let pair = block_pair(block, pairs.kind()).map_err(|problem| format!("{place}{problem}"))?;
                pair.map_or(Ok(()), |pair| pairs.push(pair, &place))?;
                open = None;
            }
            _ => {}
        }
    }
    match (open, first_label) {
        (Some((first, _)), _) => Err(has_no_end(first)),
        (None, Some(label)) if pairs.len() == before => Err(format!("no private key: this is PEM of a {label}")),
        _ => Ok(()),
    }
}

fn has_no_end(first_line: usize) -> String {
    format!("the block in line {first_line} has no end")
}

/// `None` where the block is something else.
fn block_pair(block: &[u8], kind: KeyKind) -> Result<Option<Pair>, String> {
    let read: fn(&[u8], KeyKind) -> Result<Pair, String> = match label(block) {
        "ENCRYPTED PRIVATE KEY" => return Err(ENCRYPTED.to_owned()),
        "OPENSSH PRIVATE KEY" if kind == KeyKind::Ed25519 => |der: &[u8], _| openssh::private_key(der),
        // OpenSSL has a label of its own for SM2.
        label @ ("EC PRIVATE KEY" | "SM2 PRIVATE KEY" | "PRIVATE KEY") => {
            // The old way to encrypt (RFC 1421) has headers.
            if block.windows(10).any(|part| part == b",ENCRYPTED") {
                return Err(ENCRYPTED.to_owned());
            }
            if label == "PRIVATE KEY" { pkcs8_key } else { sec1_key }
        }
        // Private keys in a form of their own.
        label if label.ends_with("PRIVATE KEY") => {
            let others = if kind == KeyKind::Ed25519 { "OPENSSH PRIVATE KEY" } else { "EC PRIVATE KEY" };
            return Err(format!("`{label}` is not supported; PRIVATE KEY and {others} are"));
        }
        // Certificates, public keys, parameters: what stands beside keys.
        _ => return Ok(None),
    };
    let invalid = |_| "not valid PEM".to_owned();
    let mut decoder = Decoder::new_detect_wrap(block.trim_ascii_end()).map_err(invalid)?;
    let mut bytes = Zeroizing::new(vec![0; decoder.remaining_len()]);
    decoder.decode(&mut bytes).map_err(invalid)?;
    read(&bytes, kind).map(Some)
}

/// The label of a block that begins with its first line, or nothing where that has another form.
fn label(block: &[u8]) -> &str {
    let line = block.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let label = line.strip_prefix(BEGIN).and_then(|rest| rest.trim_ascii_end().strip_suffix(b"-----"));
    label.and_then(|label| std::str::from_utf8(label).ok()).unwrap_or_default()
}
