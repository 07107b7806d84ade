//! Tweaked public keys, `P + t G` on secp256k1: outputs of Taproot (BIP 341) and children of
//! extended keys (BIP 32).
//!
//! **Variable-time**: all inputs are public. Keys may have any encoding of [`PublicKeys`].
//! Functions whose names end in `_into` read columns and write to columns of the caller: 64 bytes
//! `x || y` and a one-byte code per item ([`crate::Verdict::VALID_CODE`], or that of a
//! [`Rejection`], in which case the row is meaningless). The batch has as many items as there are
//! codes.

mod cpu;
mod gpu;
pub(crate) mod known_answers;

use super::point::point_of;
use crate::cpu::CpuEngine;
use crate::curve::{Curve, Secp256k1};
use crate::engine::Engine;
use crate::gpu::runtime::Plan;
use crate::gpu::{Launch, SelfTest};
use crate::operation::{Computation, GpuThreshold};
use crate::types::{
    Error, Point, Points, PublicKeys, Rejection, ResultSink, ResultsMut, Rows, require_lengths,
};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha512;
use std::ops::Range;

/// The tweaks that are added to the keys of a batch.
#[derive(Clone, Copy)]
pub(crate) enum Tweaks<'a> {
    /// The hash of the key with an even y, and of the Merkle root if there is one (BIP 341).
    Taproot(Option<Rows<'a, 32>>),
    Given(Rows<'a, 32>),
}

impl Tweaks<'_> {
    fn slice(&self, items: Range<usize>) -> Self {
        match self {
            Tweaks::Taproot(roots) => Tweaks::Taproot(roots.map(|roots| roots.slice(items))),
            Tweaks::Given(tweaks) => Tweaks::Given(tweaks.slice(items)),
        }
    }
}

/// The operation that computes the tweaked keys of a batch.
pub(crate) struct Tweak<'a> {
    pub keys: PublicKeys<'a>,
    pub tweaks: Tweaks<'a>,
    pub items: usize,
}

impl<'a> Tweak<'a> {
    fn new(keys: PublicKeys<'a>, tweaks: Tweaks<'a>, items: usize) -> Result<Self, Error> {
        let of_tweaks = match tweaks {
            Tweaks::Taproot(roots) => (
                "Merkle roots",
                roots.map_or(items, |roots| roots.len_for(items)),
            ),
            Tweaks::Given(tweaks) => ("tweaks", tweaks.len_for(items)),
        };
        require_lengths(items, &[("public keys", keys.len_for(items)), of_tweaks])?;
        Ok(Tweak {
            keys,
            tweaks,
            items,
        })
    }
}

impl Computation for Tweak<'_> {
    fn items(&self) -> usize {
        self.items
    }

    fn gpu_threshold(&self) -> GpuThreshold {
        GpuThreshold {
            portable: 40,
            simd: 50,
        }
    }

    fn compute_on_cpu(&self, engine: &CpuEngine, items: Range<usize>, out: &mut ResultSink) {
        cpu::tweak::<Secp256k1>(
            engine,
            self.keys.slice(items.clone()),
            self.tweaks.slice(items),
            out,
        );
    }

    fn kernels(&self) -> (&'static str, Vec<&'static str>) {
        (
            Secp256k1::NAME,
            vec![
                "layout",
                "table",
                "fpmul",
                "normalize",
                "point_add",
                "bip340_tweak",
            ],
        )
    }

    fn self_tests(&self, _: usize) -> Vec<SelfTest> {
        known_answers::all()
    }

    fn plan_chunk<'a>(&'a self, plan: &mut Plan<'a>, items: Range<usize>) -> Launch<'a> {
        self.plan_gpu_chunk(plan, items)
    }
}

/// Computes the output key of each internal key (BIP 341): `Q = P + t G` with `t =
/// hash_TapTweak(x(P) || root)`, where P is the point of the internal key with an even y. Without
/// roots, `t = hash_TapTweak(x(P))`. The output key is x(Q); control blocks contain the parity of
/// y(Q).
///
/// An item is rejected with the first of these that applies: [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`], [`Rejection::IdentityKey`], [`Rejection::ScalarOutOfRange`] (t is not
/// below n), [`Rejection::IdentityResult`].
///
/// # Errors
/// [`Error::LengthMismatch`] if the inputs differ in length; [`Error::Device`] if every GPU fails
/// and the engine may not fall back to the CPU.
///
/// ```
/// use gecc::{Engine, Rows, tweak};
/// let engine = Engine::new()?;
/// // The second of the vectors of BIP 341.
/// let key = hex::decode("187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27").unwrap();
/// let root = hex::decode("5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21").unwrap();
/// let keys = [key.try_into().unwrap()];
/// let roots = [root.try_into().unwrap()];
/// let output = tweak::taproot(&engine, &keys, Some(Rows::from(&roots)))?[0].unwrap();
/// assert_eq!(hex::encode(output.x()), "147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3");
/// assert_eq!(output.y()[31] & 1, 1);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn taproot(
    engine: &Engine,
    internal_keys: &[[u8; 32]],
    roots: Option<Rows<32>>,
) -> Result<Points, Error> {
    let tweak = Tweak::new(
        PublicKeys::x_only(internal_keys),
        Tweaks::Taproot(roots),
        internal_keys.len(),
    )?;
    engine.collect(&tweak, point_of)
}

/// Computes Taproot output keys from columns into columns: 64 bytes `x || y` per item. Of keys in
/// other encodings only the x-coordinate is used. See [`taproot`].
///
/// # Errors
/// The errors of [`taproot`].
pub fn taproot_into<'k>(
    engine: &Engine,
    internal_keys: impl Into<PublicKeys<'k>>,
    roots: Option<Rows<32>>,
    outputs: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("outputs", outputs.len())])?;
    let tweak = Tweak::new(internal_keys.into(), Tweaks::Taproot(roots), codes.len())?;
    engine.run(&tweak, ResultsMut::rows(codes, outputs))
}

/// Computes `P + t G` for each key P and tweak t, 32 bytes, big-endian.
///
/// Items are rejected as in [`taproot`].
///
/// # Errors
/// The errors of [`taproot`].
///
/// ```
/// use gecc::{Engine, Secp256k1, point, tweak};
/// let engine = Engine::new()?;
/// let [mut one, mut two] = [[0; 32]; 2];
/// (one[31], two[31]) = (1, 2);
/// let multiples = point::mul_base(&engine, Secp256k1, &[one, two])?;
/// assert_eq!(tweak::add(&engine, &[multiples[0].unwrap()], &[one])?[0], multiples[1]);
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn add<'k>(
    engine: &Engine,
    keys: impl Into<PublicKeys<'k>>,
    tweaks: &[[u8; 32]],
) -> Result<Points, Error> {
    engine.collect(
        &Tweak::new(keys.into(), Tweaks::Given(tweaks.into()), tweaks.len())?,
        point_of,
    )
}

/// Adds multiples of G to keys, from columns into columns: 64 bytes `x || y` per item. See [`add`].
///
/// # Errors
/// The errors of [`taproot`].
pub fn add_into<'a, 'k>(
    engine: &Engine,
    keys: impl Into<PublicKeys<'k>>,
    tweaks: impl Into<Rows<'a, 32>>,
    sums: &mut [[u8; 64]],
    codes: &mut [u8],
) -> Result<(), Error> {
    require_lengths(codes.len(), &[("sums", sums.len())])?;
    let tweak = Tweak::new(keys.into(), Tweaks::Given(tweaks.into()), codes.len())?;
    engine.run(&tweak, ResultsMut::rows(codes, sums))
}

/// An extended public key of BIP 32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtendedKey {
    /// 33 bytes: `02 || x` or `03 || x`.
    pub key: [u8; 33],
    /// The chain code.
    pub chain_code: [u8; 32],
}

/// The first hardened index (BIP 32). Hardened children can only be derived from private keys.
pub const HARDENED: u32 = 1 << 31;

/// Derives the child with a given index of each parent: CKDpub of BIP 32, with HMAC-SHA-512 on the
/// CPU.
///
/// An item is rejected with the first of these that applies: [`Rejection::MalformedPoint`],
/// [`Rejection::NotOnCurve`], [`Rejection::ValueOutOfRange`] (a [`HARDENED`] index),
/// [`Rejection::ScalarOutOfRange`], [`Rejection::IdentityResult`]. After the last two, BIP 32
/// continues with the next index; their probability is negligible.
///
/// # Errors
/// The errors of [`taproot`].
///
/// ```
/// use gecc::{Engine, tweak};
/// let engine = Engine::new()?;
/// // m/0' and m/0'/1 of the first test vector of BIP 32.
/// let bytes = |text| hex::decode(text).unwrap();
/// let parent = tweak::ExtendedKey {
///     key: bytes("035a784662a4a20a65bf6aab9ae98a6c068a81c52e4b032c0fb5400c706cfccc56").try_into().unwrap(),
///     chain_code: bytes("47fdacbd0f1097043b78c63c20c34ef4ed9a111d980047ad16282c7ae6236141").try_into().unwrap(),
/// };
/// let child = tweak::bip32_children(&engine, &[parent], &[1])?[0].unwrap();
/// assert_eq!(hex::encode(child.key), "03501e454bf00751f24b1b489aa925215d66af2234e3891c3b21a52bedb3cd711c");
/// assert_eq!(hex::encode(child.chain_code), "2a7857631386ba23dacac34180dd1983734e444fdbf774041578e9b6adb37c19");
/// # Ok::<(), gecc::Error>(())
/// ```
pub fn bip32_children(
    engine: &Engine,
    parents: &[ExtendedKey],
    indexes: &[u32],
) -> Result<Vec<Result<ExtendedKey, Rejection>>, Error> {
    require_lengths(parents.len(), &[("indexes", indexes.len())])?;
    let cpu = &engine.devices()?.cpu;
    let halves = cpu.map(parents.len(), [[0; 32]; 2], |item| {
        derivation(&parents[item], indexes[item])
    });
    let keys: Vec<[u8; 33]> = parents.iter().map(|parent| parent.key).collect();
    let tweaks: Vec<[u8; 32]> = halves.iter().map(|[tweak, _]| *tweak).collect();
    let points = add(engine, &keys, &tweaks)?;
    let children = points.into_iter().zip(indexes).zip(halves);
    Ok(children
        .map(|((point, index), [_, chain_code])| child(point, *index, chain_code))
        .collect())
}

/// Returns a child, given its public key.
fn child(
    point: Result<Point, Rejection>,
    index: u32,
    chain_code: [u8; 32],
) -> Result<ExtendedKey, Rejection> {
    // An invalid parent takes precedence over a hardened index.
    if let Err(reason @ (Rejection::MalformedPoint | Rejection::NotOnCurve)) = point {
        return Err(reason);
    }
    if index >= HARDENED {
        return Err(Rejection::ValueOutOfRange);
    }
    let key = point?.to_compressed().expect("not the identity");
    Ok(ExtendedKey { key, chain_code })
}

/// Returns I_L and I_R: HMAC-SHA-512 of the parent's key and the index, keyed with its chain code.
fn derivation(parent: &ExtendedKey, index: u32) -> [[u8; 32]; 2] {
    let mac = Hmac::<Sha512>::new_from_slice(&parent.chain_code).expect("keys of any length");
    let i: [u8; 64] = mac
        .chain_update(parent.key)
        .chain_update(index.to_be_bytes())
        .finalize()
        .into_bytes()
        .into();
    let (left, right) = i.split_at(32);
    [left, right].map(|half| half.try_into().expect("32 bytes"))
}
