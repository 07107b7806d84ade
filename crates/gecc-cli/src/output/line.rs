//! The answer to an item, one line of JSON.

use crate::secrets::wiped::{Wiped, append};

/// A line that is being written, at the end of others.
pub struct Line<'a> {
    text: &'a mut Wiped,
    has_fields: bool,
}

impl<'a> Line<'a> {
    pub fn begin(text: &'a mut Wiped) -> Self {
        append(text, b"{");
        Line { text, has_fields: false }
    }

    /// Adds a field whose value is JSON already.
    pub fn json(&mut self, name: &str, value: &[u8]) {
        self.name(name);
        append(self.text, value);
    }

    /// Adds a number.
    pub fn number(&mut self, name: &str, value: u64) {
        // Most significant first, in the room of the largest.
        let mut digits = [b'0'; 20];
        let mut start = digits.len() - 1;
        let mut rest = value;
        while rest > 9 {
            digits[start] += (rest % 10) as u8;
            rest /= 10;
            start -= 1;
        }
        digits[start] += rest as u8;
        self.json(name, &digits[start..]);
    }

    /// Adds a text of a prefix without special characters, and of bytes in hexadecimal.
    pub fn hex(&mut self, name: &str, prefix: &str, bytes: &[u8]) {
        const ZEROS: [u8; 256] = [b'0'; 256];
        self.name(name);
        append(self.text, b"\"");
        append(self.text, prefix.as_bytes());
        for part in bytes.chunks(ZEROS.len() / 2) {
            let start = self.text.len();
            append(self.text, &ZEROS[..2 * part.len()]);
            const_hex::encode_to_slice(part, &mut self.text[start..]).expect("two digits for each byte");
        }
        append(self.text, b"\"");
    }

    /// Adds a text.
    #[cfg(feature = "chains")]
    pub fn text(&mut self, name: &str, value: &str) {
        let quoted = serde_json::to_string(value).expect("a text is JSON");
        self.json(name, quoted.as_bytes());
    }

    pub fn end(self) {
        append(self.text, b"}\n");
    }

    fn name(&mut self, name: &str) {
        append(self.text, if self.has_fields { b",\"" } else { b"\"" });
        append(self.text, name.as_bytes());
        append(self.text, b"\":");
        self.has_fields = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_json() {
        for number in [0, 9, 10, 4_294_967_296, u64::MAX] {
            for length in [0, 1, 64, 127, 128, 129, 300] {
                let bytes: Vec<u8> = (0..length).map(|byte| byte as u8).collect();
                let mut text = Wiped::default();
                let mut line = Line::begin(&mut text);
                line.number("line", number);
                line.hex("hex", "0x", &bytes);
                line.json("tag", b"[1.10]");
                line.end();
                let expected = format!("{{\"line\":{number},\"hex\":\"0x{}\",\"tag\":[1.10]}}\n", hex::encode(&bytes));
                assert_eq!(std::str::from_utf8(&text).unwrap(), expected);
            }
        }
    }
}
