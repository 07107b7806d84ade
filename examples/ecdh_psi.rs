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
//! The multiplications by a and b are gecc's constant-time ones. **H is a toy, fit for public data
//! only**: it tries counters until it meets a point, so its running time depends on the element,
//! and whoever can time it learns about the list. Lists that must stay secret need the
//! constant-time maps of RFC 9380.
//!
//! Both parties run in this one process, so that the result can be compared with the plain
//! intersection.

use gecc::{Engine, P256, Point, PublicKeys, SecretKey, SharedPoint, ecdh, point};
use sha2::{Digest, Sha256};
use std::collections::{BTreeSet, HashSet};
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// The lists of the example data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/psi");
/// Keeps these points apart from those that other programs make of the same elements.
const DOMAIN: &[u8] = b"gecc example ecdh_psi: P-256, SHA-256, try and increment";

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
    fn masked_elements(&self, engine: &Engine) -> Result<Vec<Point>, Box<dyn Error>> {
        self.mask(engine, &hash_to_curve(engine, &self.elements)?)
    }

    /// Multiplies by the party's key. What comes from the other side is checked to lie on the
    /// curve.
    fn mask(&self, engine: &Engine, points: &[Point]) -> Result<Vec<Point>, Box<dyn Error>> {
        let masked = ecdh::shared_points(engine, P256, &self.key, PublicKeys::points(points))?;
        // The parties exchange masked points; a masked point does not reveal the key.
        Ok(masked
            .into_iter()
            .map(|point| point.map(SharedPoint::into_public))
            .collect::<Result<_, _>>()?)
    }
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
    from_bob.sort_by_key(|point| *point.as_bytes());
    let bobs: HashSet<Point> = alice.mask(engine, &from_bob)?.into_iter().collect();
    let pairs = alice.elements.iter().zip(returned);
    Ok(pairs
        .filter(|(_, point)| bobs.contains(point))
        .map(|(element, _)| element)
        .collect())
}

/// The first of the points with x = SHA-256(domain || counter || element) that exists; about every
/// second x has one. Each round tries the elements that have no point yet as one batch.
/// Variable-time: see the top of this file.
fn hash_to_curve(engine: &Engine, elements: &[String]) -> Result<Vec<Point>, Box<dyn Error>> {
    let mut points = vec![Point::IDENTITY; elements.len()];
    let mut open: Vec<usize> = (0..elements.len()).collect();
    let mut counter: u32 = 0;
    while !open.is_empty() {
        let candidates: Vec<[u8; 33]> = open
            .iter()
            .map(|&index| candidate(&elements[index], counter))
            .collect();
        let found = point::decompress(engine, P256, &candidates)?;
        for (&index, point) in open.iter().zip(&found) {
            points[index] = point.unwrap_or(Point::IDENTITY);
        }
        open.retain(|&index| points[index].is_identity());
        counter += 1;
    }
    Ok(points)
}

/// A compressed encoding with even y, whether or not the curve has such a point.
fn candidate(element: &str, counter: u32) -> [u8; 33] {
    let mut hash = Sha256::new_with_prefix(DOMAIN);
    hash.update(counter.to_be_bytes());
    hash.update(element);
    let mut encoded = [2; 33];
    encoded[1..].copy_from_slice(&hash.finalize());
    encoded
}
