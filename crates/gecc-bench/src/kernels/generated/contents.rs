//! Generated from the device code by `cargo run -p gecc-codegen`; not to be edited.
//! `tests/library/generated.rs` compares.

use gecc::lab::columns::Content;

/// Field elements in field form.
#[derive(Clone, Copy, Debug)]
pub enum FieldElements {}

impl Content for FieldElements {
    const BYTES: usize = 32;
}

/// One word: how many points are equal.
#[derive(Clone, Copy, Debug)]
pub enum EqualCount {}

/// Affine points in rows of 16 words, x before y, in field form.
#[derive(Clone, Copy, Debug)]
pub enum XyRows {}

impl Content for XyRows {
    const BYTES: usize = 64;
}
