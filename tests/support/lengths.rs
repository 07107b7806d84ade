//! Inputs of different lengths.

use gecc::Error;

/// Asserts that the call failed for these lengths.
#[track_caller]
pub fn differs<T>(result: Result<T, Error>, wrong: (&str, usize, usize)) {
    match result.map(|_| ()) {
        Err(Error::LengthMismatch {
            what,
            expected,
            found,
        }) => assert_eq!((what, expected, found), wrong),
        other => panic!("{other:?} instead of a length mismatch"),
    }
}
