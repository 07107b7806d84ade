//! The types that callers and engines share. They contain no computation and depend on neither
//! engines nor operations.

/// Implements conversions into a column from a slice, a vector and an array of its elements.
macro_rules! column_from {
    ($column:ty, $constructor:ident, [$($generics:tt)*] $element:ty) => {
        impl<'a, $($generics)*> From<&'a [$element]> for $column {
            fn from(elements: &'a [$element]) -> Self {
                Self::$constructor(elements)
            }
        }

        impl<'a, $($generics)*> From<&'a Vec<$element>> for $column {
            fn from(elements: &'a Vec<$element>) -> Self {
                Self::$constructor(elements)
            }
        }

        impl<'a, $($generics)* const N: usize> From<&'a [$element; N]> for $column {
            fn from(elements: &'a [$element; N]) -> Self {
                Self::$constructor(elements)
            }
        }
    };
}

mod der;
mod error;
mod keys;
mod point;
mod results;
mod rows;
mod rust_crypto;
mod secret;
mod signing;
mod verdict;

pub use self::der::{signature_from_der, signature_to_der};
pub use error::Error;
pub(crate) use error::require_lengths;
pub use keys::PublicKeys;
pub(crate) use keys::{KeyBytes, KeyRowForm, POINT_ROW};
pub use point::{Point, Points};
pub(crate) use results::{
    HUGE_PAGE, ResultConsumer, ResultSink, Results, ResultsMut, Values, Widths, ask_for_huge_pages,
    bytes_of, result_of,
};
#[cfg(test)]
pub(crate) use results::{collect, rows_of};
pub use rows::Rows;
pub(crate) use rows::{ByteRows, Fill};
pub use rust_crypto::signature_rows;
pub use secret::{SecretKey, SecretKeys, SharedPoint, SharedSecret};
pub use signing::{Address, Policy, RecoverableSignature, SForm, Signers};
pub(crate) use signing::{Check, NonceHash};
pub use verdict::{Rejection, Verdict, Verdicts};

/// Returns whether two names, as users write them, differ only in case, spaces, hyphens,
/// underscores and dots.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    fn plain(name: &str) -> impl Iterator<Item = char> {
        name.chars()
            .filter(|c| !matches!(c, '-' | '_' | '.' | ' '))
            .map(|c| c.to_ascii_lowercase())
    }
    plain(one).eq(plain(other))
}
