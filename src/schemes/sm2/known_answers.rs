//! Known answers of SM2 signatures.

use super::SM2;
use crate::schemes::frame::known_answers::{SchemeTests, sign, sign_with_data, verify, verify_by_tables};
use crate::types::Policy;

pub const TESTS: SchemeTests = SchemeTests {
    verification: ("SM2 verification", |trial| verify(trial, &SM2, Policy::default())),
    by_tables: ("SM2 verification by tables of keys", |trial| verify_by_tables(trial, &SM2, Policy::default())),
    together: None,
    signing: ("SM2 signing", |trial| sign(trial, &SM2)),
    signing_with_data: ("SM2 signing with additional data", |trial| sign_with_data(trial, &SM2)),
    recovery: None,
};
