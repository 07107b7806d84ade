//! Reads the files of `tests/vectors`.

use crate::report::root;
use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs;
use std::io::Read;

/// Returns the content of a compressed file of `tests/vectors/conformance`.
pub fn unpacked(name: &str) -> Vec<u8> {
    let path = root().join("tests/vectors/conformance").join(name);
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut content = Vec::new();
    if name.ends_with(".zst") {
        zstd::stream::copy_decode(&packed[..], &mut content).expect("the file is whole");
    } else {
        GzDecoder::new(&packed[..])
            .read_to_end(&mut content)
            .expect("the file is whole");
    }
    content
}

/// Returns a compressed file of JSON.
pub fn json(name: &str) -> Value {
    serde_json::from_slice(&unpacked(name)).expect("the file is JSON")
}

/// Returns a file of `tests/vectors` itself.
pub fn plain(name: &str) -> String {
    let path = root().join("tests/vectors").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the members of an array.
pub fn list(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

/// Returns a text.
pub fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// Decodes digits of a member.
pub fn bytes(value: &Value) -> Vec<u8> {
    digits(text(value))
}

/// Decodes digits, of which there may be an odd number, and which 0x may precede.
pub fn digits(text: &str) -> Vec<u8> {
    let text = text.strip_prefix("0x").unwrap_or(text);
    let even = if text.len() % 2 == 1 {
        format!("0{text}")
    } else {
        text.to_owned()
    };
    hex::decode(even).expect("hexadecimal digits")
}

/// Returns a number of any length as 32 bytes, or `None` if it is larger.
pub fn number(bytes: &[u8]) -> Option<[u8; 32]> {
    let start = bytes
        .iter()
        .position(|byte| *byte != 0)
        .unwrap_or(bytes.len());
    let significant = &bytes[start..];
    let mut number = [0; 32];
    number
        .get_mut(32_usize.checked_sub(significant.len())?..)?
        .copy_from_slice(significant);
    Some(number)
}

/// Returns `04 || x || y`, or `None` if a coordinate has more than 32 bytes.
pub fn uncompressed(x: &[u8], y: &[u8]) -> Option<Vec<u8>> {
    Some([&[4][..], &number(x)?, &number(y)?].concat())
}

/// Returns r || s, or `None` if a number has more than 32 bytes.
pub fn signature(r: &[u8], s: &[u8]) -> Option<[u8; 64]> {
    [number(r)?, number(s)?].concat().try_into().ok()
}
