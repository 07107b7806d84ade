//! Reasons why something does not count as signed.

use gecc::Rejection;
use std::fmt;

/// The rejection that a code which is not that of a valid item means.
pub fn rejection_of(code: u8) -> Rejection {
    // A code that nobody gave must not pass for valid.
    Rejection::from_code(code).unwrap_or(Rejection::Mismatch)
}

/// The reason why an input or a certificate was not shown to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A signature fits none of the keys with which it was tried. What is wrong with it and one of them.
    Signature(Rejection),
    /// The contents are not the required ones, or not in the required form.
    Malformed(&'static str),
    /// It was not checked, for this reason.
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
