//! Oblivious pseudorandom functions.

pub mod calls;
pub mod isolation;
pub mod proofs;
pub mod protocol;
pub mod vectors;

use gecc::mask::Masked;
use gecc::oprf::{Element, Outputs};
use gecc::{Engine, P256, Rejection, SecretKey, keys};

/// Returns the elements of a batch without rejected items.
fn elements(masked: &Masked) -> Vec<Element> {
    assert!(masked.iter().all(|item| item.is_ok()));
    masked.rows().as_chunks().0.to_vec()
}

fn results(outputs: &Outputs) -> Vec<Result<[u8; 32], Rejection>> {
    outputs.iter().map(|output| output.copied()).collect()
}

/// Returns a new key of a server and its public key.
fn key_pair(engine: &Engine) -> (SecretKey, Element) {
    let (mut secret, public) = keys::generate(engine, P256, 1).unwrap();
    (secret.remove(0), public[0].to_compressed().unwrap())
}
