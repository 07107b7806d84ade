//! Private keys of a file, checked against the public keys that accompany them.
//!
//! A file whose public key belongs to another private key was assembled wrongly or damaged:
//! signatures made with it would not verify with any known key.

use crate::{KeyKind, push};
use gecc::{Backend, Engine, Error, Point, SecretKey, ed25519, keys, stack, x25519};
use std::collections::HashMap;

/// The number of keys whose public keys are computed in one batch.
const BATCH: usize = 1 << 12;

/// A public key as stated by a file.
#[derive(Clone, Copy, Debug)]
pub enum StatedPublicKey {
    /// A point, or the parts of it that are stated.
    Point {
        x: Option<[u8; 32]>,
        y: Option<[u8; 32]>,
        y_is_odd: Option<bool>,
    },
    /// A key of Ed25519 or X25519.
    Bytes([u8; 32]),
}

/// The public key of a private key.
enum ComputedPublicKey {
    /// `None` if the private key is out of range.
    Point(Option<Point>),
    /// A key of Ed25519 or X25519.
    Bytes([u8; 32]),
}

impl StatedPublicKey {
    /// Reads SEC 1, section 2.3.3, and the hybrid form of X9.62.
    pub fn from_sec1(bytes: &[u8]) -> Result<Self, String> {
        const MALFORMED: &str = "its public key is not an encoding of a 256-bit point";
        let (tag, coordinates) = bytes.split_first().ok_or(MALFORMED)?;
        let (coordinates, rest) = coordinates.as_chunks();
        match (tag, coordinates, rest) {
            (2 | 3, [x], []) => Ok(StatedPublicKey::Point {
                x: Some(*x),
                y: None,
                y_is_odd: Some(tag & 1 == 1),
            }),
            (4, [x, y], []) => Ok(StatedPublicKey::Point {
                x: Some(*x),
                y: Some(*y),
                y_is_odd: None,
            }),
            (6 | 7, [x, y], []) => Ok(StatedPublicKey::Point {
                x: Some(*x),
                y: Some(*y),
                y_is_odd: Some(tag & 1 == 1),
            }),
            _ => Err(MALFORMED.to_owned()),
        }
    }

    fn is_of(&self, computed: &ComputedPublicKey) -> bool {
        match (self, computed) {
            (StatedPublicKey::Point { x, y, y_is_odd }, ComputedPublicKey::Point(Some(point))) => {
                let is_odd = point.y()[31] & 1 == 1;
                x.is_none_or(|x| x == *point.x())
                    && y.is_none_or(|y| y == *point.y())
                    && y_is_odd.is_none_or(|expected| expected == is_odd)
            }
            (StatedPublicKey::Bytes(expected), ComputedPublicKey::Bytes(public)) => {
                expected == public
            }
            _ => false,
        }
    }
}

/// A private key, with every public key that its file states for it.
pub struct KeyPair {
    pub secret: SecretKey,
    pub public: Vec<StatedPublicKey>,
}

/// The private keys read so far. Those with a stated public key are checked in batches.
pub struct KeyPairs {
    kind: KeyKind,
    keys: Vec<SecretKey>,
    /// The number of keys that are checked, the first ones.
    checked: usize,
    /// Unchecked public keys: the index of the private key, its position in the file, and the
    /// stated key.
    stated: Vec<(usize, String, StatedPublicKey)>,
    /// Keys with a wrong public key, and the errors.
    wrong: Vec<(usize, String)>,
    engine: Option<Engine>,
}

impl KeyPairs {
    /// Creates an empty collection. Public keys are computed by `engine`, or by one that
    /// is created when needed.
    pub fn new(kind: KeyKind, engine: Option<Engine>) -> Self {
        KeyPairs {
            kind,
            keys: Vec::new(),
            checked: 0,
            stated: Vec::new(),
            wrong: Vec::new(),
            engine,
        }
    }

    /// Returns the required purpose of the keys.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Adds a key. `place` begins an error about it.
    pub fn push(&mut self, KeyPair { secret, public }: KeyPair, place: &str) -> Result<(), String> {
        let key = self.keys.len();
        push(&mut self.keys, secret);
        self.stated.extend(
            public
                .into_iter()
                .map(|public| (key, place.to_owned(), public)),
        );
        if self.keys.len() - self.checked < BATCH {
            Ok(())
        } else {
            self.check()
        }
    }

    /// Removes all keys except the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.keys.truncate(len);
        self.checked = self.checked.min(len);
        self.stated.retain(|(key, ..)| *key < len);
        self.wrong.retain(|(key, _)| *key < len);
    }

    /// Returns the private keys, or an error if any public key is wrong.
    pub fn finish(mut self) -> Result<Vec<SecretKey>, String> {
        self.check()?;
        self.wrong
            .into_iter()
            .next()
            .map_or(Ok(self.keys), |(_, problem)| Err(problem))
    }

    /// Returns the private keys, with the errors of those whose public key is wrong.
    pub fn finish_each(mut self) -> Result<(Vec<SecretKey>, HashMap<usize, String>), String> {
        self.check()?;
        Ok((self.keys, self.wrong.into_iter().collect()))
    }

    fn check(&mut self) -> Result<(), String> {
        if !self.stated.is_empty() {
            let public = self.public_keys().map_err(|problem| problem.to_string())?;
            for (key, place, stated_key) in self.stated.drain(..) {
                if !stated_key.is_of(&public[key - self.checked]) {
                    self.wrong.push((
                        key,
                        format!("{place}the public key does not belong to the private key"),
                    ));
                }
            }
        }
        self.checked = self.keys.len();
        Ok(())
    }

    /// Computes the public keys that are not checked yet.
    fn public_keys(&mut self) -> Result<Vec<ComputedPublicKey>, Error> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            // The engine and the start values of its threads have gaps that hold the contents of
            // this stack, where readers have left keys.
            none => {
                stack::wiped(|| ());
                none.insert(start_engine()?)
            }
        };
        let secret = &self.keys[self.checked..];
        Ok(match self.kind {
            KeyKind::Curve(curve) => {
                let points = keys::public_keys(engine, curve, secret)?;
                points
                    .into_iter()
                    .map(|point| ComputedPublicKey::Point(point.ok()))
                    .collect()
            }
            KeyKind::Ed25519 => ed25519::public_keys(engine, secret)?
                .into_iter()
                .map(ComputedPublicKey::Bytes)
                .collect(),
            KeyKind::X25519 => x25519::public_keys(engine, secret)?
                .into_iter()
                .map(ComputedPublicKey::Bytes)
                .collect(),
        })
    }
}

/// Starts an engine in a stack frame of its own: a frame that was there before the stack was wiped
/// may still hold keys.
#[inline(never)]
fn start_engine() -> Result<Engine, Error> {
    Engine::builder().backend(Backend::Cpu).build()
}
