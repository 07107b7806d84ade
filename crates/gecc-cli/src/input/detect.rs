//! Finds how binary values are written: hexadecimal, or base64 where hexadecimal cannot be meant.

use super::cut::Unit;
use super::encoding::{Encoding, base64};
use super::fields::Fields;
use super::items::each_of_unit;
use super::layout::Layout;
use super::names::Names;
use gecc::fields::Field;
use std::ops::ControlFlow;

/// Rows that are looked at.
const LOOKED_AT: usize = 1000;

/// Whether a value of the field may have this many bytes, which begin like this.
fn may_be(field: Field, bytes: &[u8]) -> bool {
    const SEQUENCE: u8 = 0x30;
    let is_der = bytes.first() == Some(&SEQUENCE);
    match field {
        Field::Digest => bytes.len() == 32,
        Field::Signature => matches!(bytes.len(), 64 | 65) || is_der,
        Field::Der => is_der,
        Field::R | Field::S => (30..=33).contains(&bytes.len()),
        Field::PublicKey => matches!(bytes.len(), 32 | 33 | 64 | 65) || is_der,
        _ => false,
    }
}

/// How the values of the first rows are written.
///
/// # Errors
/// Where some are hexadecimal and others base64, and where messages could be either.
pub fn detect(units: &[Unit], layout: &Layout, names: &Names, text_messages: bool) -> Result<Encoding, String> {
    let (mut rows, mut hex, mut other) = (0, 0, 0);
    let mut has_messages = false;
    for unit in units {
        each_of_unit(unit, layout, names, |_, fields| {
            rows += 1;
            if let Ok(fields) = fields {
                has_messages |= fields.value(Field::Message).is_some();
                count(&fields, &mut hex, &mut other);
            }
            if rows < LOOKED_AT { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if rows >= LOOKED_AT {
            break;
        }
    }
    match (hex, other) {
        (_, 0) => Ok(Encoding::Hex),
        (0, _) if has_messages && !text_messages => {
            Err("signatures or keys are base64, and it is not clear what messages are: say --encoding base64, or \
                 --text-messages where they are text"
                .to_owned())
        }
        (0, _) => Ok(Encoding::Base64),
        _ => Err(format!(
            "of the first {rows} rows {hex} values are hexadecimal and {other} base64: say --encoding hex or --encoding base64"
        )),
    }
}

fn count(fields: &Fields, hex: &mut usize, other: &mut usize) {
    for field in Field::ALL {
        let Some(text) = fields.value(field).map(str::trim) else { continue };
        let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
        if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            *hex += usize::from(!digits.is_empty() && may_be_any(field));
        } else if base64(text).is_some_and(|bytes| may_be(field, &bytes)) {
            *other += 1;
        }
    }
}

/// Whether the field tells anything of the encoding: messages could be anything.
fn may_be_any(field: Field) -> bool {
    matches!(field, Field::Digest | Field::Signature | Field::Der | Field::R | Field::S | Field::PublicKey)
}
