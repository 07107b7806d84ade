//! Tests of limits.

use super::*;

/// The index of the last element of the largest batch is the largest number of two bytes.
#[test]
fn largest_batches_have_indices_of_two_bytes() {
    assert!(proof::require_provable(1).is_ok());
    assert!(proof::require_provable(MOST_PROVED).is_ok());
    assert_eq!(length_bytes(MOST_PROVED - 1), [0xff; 2]);
}
