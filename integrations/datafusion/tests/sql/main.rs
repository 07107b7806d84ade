//! The SQL functions, compared with the answers of `gecc-arrow`, which the command writes, and in
//! query plans.

#[path = "../../../../crates/gecc-arrow/tests/arrow/items.rs"]
#[expect(dead_code, reason = "shared with the tests of gecc-arrow")]
mod items;

mod bip340;
mod cases;
mod digests;
mod ed25519;
mod files;
mod masks;
mod plans;
mod recovery;
mod session;
#[path = "../../../../tests/cases/mod.rs"]
mod shared_cases;
mod types;
mod waiting;
