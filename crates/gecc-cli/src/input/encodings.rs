//! Detects the encoding of binary values in text.

use super::items::each_of_unit;
use super::layout::TextLayout;
use super::names::FieldNames;
use super::splitter::Unit;
use gecc::fields::{Encodings, Field, FieldEncodings, UnclearEncoding};
use std::ops::ControlFlow;

/// Determines the encoding of the fields for which none is configured, from the values of the first
/// rows.
///
/// # Errors
/// Returns the errors of [`Encodings::decide`].
pub fn detect(
    units: &[Unit],
    layout: &TextLayout,
    names: &FieldNames,
    given: FieldEncodings,
    text_messages: bool,
) -> Result<FieldEncodings, UnclearEncoding> {
    let mut seen = Encodings::default();
    let mut goes_on = true;
    for unit in units {
        each_of_unit(unit, layout, names, |_, fields| {
            if let Ok(fields) = fields {
                for field in Field::ALL {
                    let is_decimal = names.decimal() && matches!(field, Field::R | Field::S);
                    if let Some(text) = fields.value(field).filter(|_| !is_decimal) {
                        seen.see(field, text);
                    }
                }
            }
            goes_on = seen.end_row();
            if goes_on {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        if !goes_on {
            break;
        }
    }
    seen.decide(given, text_messages)
}
