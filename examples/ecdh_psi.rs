//! Private set intersection by ECDH: two parties learn which elements their lists have in common,
//! and nothing else but their sizes.
//!
//! `cargo run --release --example ecdh_psi [-- ALICE.txt BOB.txt]`
//!
//! Each file holds one element per line. The example data are the senders of two Ethereum blocks:
//! two exchanges that look for common customers have such lists. The protocol (Meadows 1986;
//! Huberman, Franklin, Hogg 1999) is for parties that follow it but are curious:
//!
//! 1. both map each element x to a point H(x) of the curve;
//! 2. Alice sends a·H(x) for her elements, Bob multiplies them by b and sends b·a·H(x) back in the
//!    same order;
//! 3. Bob sends b·H(y) for his elements in an order that reveals nothing, Alice multiplies them by
//!    a;
//! 4. Alice keeps each x with b·a·H(x) among the a·b·H(y). Without a or b, a·H(x) is a random point
//!    to the other side.
//!
//! H is a suite of RFC 9380, and everything is constant-time in the elements and in a and b.
//! `docs/masking.md` states what the protocol does not protect against.
//!
//! Both parties run in this one process, so that the result can be compared with the plain
//! intersection.

use gecc::hash_to_curve::Suite;
use gecc::mask::{self, Form, Masked};
use gecc::{Engine, P256, PublicKeys, SecretKey};
use std::collections::{BTreeSet, HashSet};
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The lists of the example data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/psi");
const SUITE: Suite = Suite::P256SswuRo;
/// Keeps these points apart from those that other programs make of the same elements.
const DOMAIN: &[u8] = b"gecc-example-ecdh_psi-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_";

/// A masked element as the parties exchange it.
type MaskedElement = [u8; 33];

struct Party {
    elements: Vec<String>,
    key: SecretKey,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether the protocol found the same elements as the plain intersection.
fn run() -> Result<bool, Box<dyn Error>> {
    let mut files = env::args_os().skip(1).map(PathBuf::from);
    let mut file_or = |name| files.next().unwrap_or_else(|| Path::new(DATA).join(name));
    let alice = Party::new(&file_or("senders_22431083.txt"))?;
    let bob = Party::new(&file_or("senders_22431086.txt"))?;
    let engine = Engine::new()?;
    let start = Instant::now();
    let common = intersect(&engine, &alice, &bob)?;
    let time = start.elapsed();

    let theirs: HashSet<&String> = bob.elements.iter().collect();
    let expected: Vec<&String> = alice
        .elements
        .iter()
        .filter(|element| theirs.contains(element))
        .collect();
    println!(
        "Alice has {} elements, Bob has {}",
        alice.elements.len(),
        bob.elements.len()
    );
    println!(
        "{} in common; the plain intersection has {}",
        common.len(),
        expected.len()
    );
    let multiplications = 2 * (alice.elements.len() + bob.elements.len());
    // The example data are a small batch: `gecc bench` is for comparing speeds.
    println!(
        "{multiplications} secret multiplications, with hashing, in {:.1} ms on {engine}",
        1e3 * time.as_secs_f64()
    );
    Ok(common == expected)
}

impl Party {
    fn new(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        // A set: an element that occurs twice in the file would be visible as two equal points.
        let elements: BTreeSet<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        Ok(Party {
            elements: elements.into_iter().map(str::to_owned).collect(),
            key: SecretKey::generate(P256)?,
        })
    }

    /// The party's own elements as it sends them.
    fn masked_elements(&self, engine: &Engine) -> Result<Vec<MaskedElement>, Box<dyn Error>> {
        let elements = &self.elements;
        let masked = mask::items(engine, SUITE, DOMAIN, &self.key, elements, Form::Compressed)?;
        all_of(&masked)
    }

    /// Multiplies by the party's key. What comes from the other side is checked to be points of the
    /// curve.
    fn mask(
        &self,
        engine: &Engine,
        points: &[MaskedElement],
    ) -> Result<Vec<MaskedElement>, Box<dyn Error>> {
        let points = PublicKeys::compressed(points);
        let masked = mask::points(engine, P256, &self.key, points, Form::Compressed)?;
        all_of(&masked)
    }
}

/// Returns all masked elements. A party that sends something else ends the protocol.
fn all_of(masked: &Masked) -> Result<Vec<MaskedElement>, Box<dyn Error>> {
    let elements = masked.iter().map(|row| Ok(row?.try_into()?));
    elements.collect()
}

/// Returns Alice's elements that Bob has too.
fn intersect<'a>(
    engine: &Engine,
    alice: &'a Party,
    bob: &Party,
) -> Result<Vec<&'a String>, Box<dyn Error>> {
    let from_alice = alice.masked_elements(engine)?;
    let returned = bob.mask(engine, &from_alice)?;
    let mut from_bob = bob.masked_elements(engine)?;
    // Masked points are random, so sorting them shuffles the elements.
    from_bob.sort_unstable();
    let bobs: HashSet<MaskedElement> = alice.mask(engine, &from_bob)?.into_iter().collect();
    let pairs = alice.elements.iter().zip(returned);
    Ok(pairs
        .filter(|(_, point)| bobs.contains(point))
        .map(|(element, _)| element)
        .collect())
}
