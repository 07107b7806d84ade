//! Oblivious pseudorandom functions. A test that is generic over the suite runs with each.

pub mod calls;
pub mod isolation;
pub mod proofs;
pub mod protocol;
pub mod suites;
pub mod vectors;

use gecc::Rejection;
use gecc::oprf::{Elements, Outputs, Suite};

/// Returns the elements of a batch without rejected items.
fn elements<S: Suite>(elements: &Elements<S>) -> Vec<S::Element> {
    assert!(elements.iter().all(|item| item.is_ok()));
    elements.rows().to_vec()
}

fn results<S: Suite>(outputs: &Outputs<S>) -> Vec<Result<S::Output, Rejection>> {
    outputs.iter().map(|output| output.copied()).collect()
}
