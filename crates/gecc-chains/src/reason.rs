//! Reasons why something does not count as signed.

use gecc::Rejection;
use std::fmt;

/// Returns the rejection for a code that is not that of a valid item.
pub fn rejection_of(code: u8) -> Rejection {
    // A code that was never written must not count as valid.
    Rejection::from_code(code).unwrap_or(Rejection::Mismatch)
}

/// The reason why an input or a certificate was not shown to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A signature matches none of the keys with which it was tried. The rejection is that of one
    /// of these attempts.
    Signature(Rejection),
    /// The contents are not the required ones, or not in the required form.
    Malformed(&'static str),
    /// It was not checked, for the given reason.
    NotChecked(&'static str),
}

impl Reason {
    /// Returns the verdict for a reason; `None` if it was not checked.
    pub(crate) fn verdict(reason: Option<Reason>) -> Option<bool> {
        match reason {
            None => Some(true),
            Some(Reason::NotChecked(_)) => None,
            Some(_) => Some(false),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Signature(rejection) => rejection.fmt(to),
            Reason::Malformed(why) => to.write_str(why),
            Reason::NotChecked(why) => write!(to, "not checked: {why}"),
        }
    }
}
