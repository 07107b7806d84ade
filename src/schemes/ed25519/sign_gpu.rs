//! Signing and public keys on a GPU, with kernels whose branches and addresses do not depend on
//! seeds and nonces.

use super::batch::{CURVE, PublicKeysOfSeeds, SignEd25519};
use super::keys::{ExpandedKey, SigningKeyKind};
use super::known_answers;
use super::rule::Rule;
use super::verify_gpu::{Dom2, Equations, SignedColumns, VERIFY_FILES, rule_bits};
use crate::gpu::columns::{
    AnyRows, ByteRows, Codes, Column, Ed25519Keys, Prefixes, Scalars, Signatures, Xyz,
};
use crate::gpu::kernels;
use crate::gpu::runtime::{Fault, InputSource, Plan};
use crate::gpu::schedule::StreamSlot;
use crate::gpu::tables::key_tables;
use crate::gpu::transfer::PrivateKeys;
use crate::gpu::{Launch, Running, SelfTest};
use crate::host::stack;
use crate::ops::hash::{TextColumns, on_device_codes};
use crate::schemes::common::Verified;
use crate::types::{SecretKeys, Verdict};
use std::ops::Range;

/// The length in bytes of a scalar and a prefix.
const KEY: usize = 64;

/// Multiples of B by secret scalars, and the memory for encoding them.
#[derive(Clone, Copy)]
struct Products {
    scalars: Column<Scalars>,
    xyz: Column<Xyz>,
    prefixes: Column<Prefixes>,
}

impl Products {
    fn new(plan: &mut Plan) -> Self {
        Products {
            scalars: plan.column(),
            xyz: plan.column(),
            prefixes: plan.column(),
        }
    }

    /// Encodes the products into the first 32 bytes of rows at a distance of `row_stride` bytes.
    fn encode(
        self,
        slot: &mut StreamSlot,
        rows: Column<AnyRows>,
        row_stride: u64,
        n: u64,
    ) -> Result<(), Fault> {
        let Products {
            scalars,
            xyz,
            prefixes,
        } = self;
        let table = slot.cache.clone().base_point.uniform_edwards(slot, CURVE)?;
        kernels::Ed25519Multiply {
            scalars,
            table,
            xyz,
            n,
        }
        .launch(slot, CURVE)?;
        kernels::Ed25519Encode {
            xyz,
            rows,
            row_stride,
            prefixes,
            n,
        }
        .launch(slot, CURVE)
    }
}

/// The keys of a chunk, expanded on the device from seeds, with their public keys.
#[derive(Clone, Copy)]
struct Expansion {
    seeds: PrivateKeys,
    keys: Column<Ed25519Keys>,
    public: Column<ByteRows<32>>,
}

impl Expansion {
    fn new<'a>(plan: &mut Plan<'a>, seeds: SecretKeys<'a>) -> Self {
        Expansion {
            seeds: PrivateKeys::new(plan, seeds),
            keys: plan.each(KEY),
            public: plan.column(),
        }
    }

    fn expand(self, slot: &mut StreamSlot, products: Products, n: u64) -> Result<(), Fault> {
        let Expansion {
            seeds,
            keys,
            public,
        } = self;
        let Products { scalars, .. } = products;
        kernels::Ed25519Expand {
            seeds: seeds.rows,
            seed_stride: seeds.stride,
            keys,
            scalars,
            n,
        }
        .launch(slot, CURVE)?;
        products.encode(slot, public.into(), 32, n)
    }
}

/// The keys of a chunk, with the distance in bytes between those of neighbouring items: zero for
/// one key for all.
struct KeyColumns {
    keys: Column<Ed25519Keys>,
    key_stride: u64,
    public: Column<ByteRows<32>>,
    public_stride: u64,
    /// The expansion of seeds, if keys are given as such.
    expansion: Option<Expansion>,
}

impl KeyColumns {
    /// Plans the keys. With `each_public`, there is one public key per item in any case.
    fn new<'a>(plan: &mut Plan<'a>, keys: SigningKeyKind<'a>, each_public: bool) -> Self {
        match keys {
            SigningKeyKind::Seeds(seeds) => {
                let expansion = Expansion::new(plan, seeds);
                let Expansion { keys, public, .. } = expansion;
                KeyColumns {
                    keys,
                    key_stride: KEY as u64,
                    public,
                    public_stride: 32,
                    expansion: Some(expansion),
                }
            }
            SigningKeyKind::Expanded(keys) => {
                Self::expanded(plan, plan.items(), plan.items(), move |item| &keys[item])
            }
            SigningKeyKind::ExpandedForAll(key) => {
                let of_public = if each_public { plan.items() } else { 1 };
                KeyColumns {
                    key_stride: 0,
                    public_stride: if each_public { 32 } else { 0 },
                    ..Self::expanded(plan, 1, of_public, move |_| key)
                }
            }
        }
    }

    fn expanded<'a>(
        plan: &mut Plan<'a>,
        secret: usize,
        public: usize,
        key: impl Fn(usize) -> &'a ExpandedKey + Copy + Sync + 'a,
    ) -> Self {
        let secret_halves = InputSource::Written(
            KEY,
            Box::new(move |start: usize, to: &mut [u8]| {
                stack::wiped(|| {
                    for (at, row) in to.chunks_exact_mut(KEY).enumerate() {
                        let (scalar, prefix) = row.split_at_mut(32);
                        scalar.copy_from_slice(&key(start + at).scalar.to_le_bytes());
                        prefix.copy_from_slice(&key(start + at).prefix);
                    }
                });
            }),
        );
        let public_keys = InputSource::Written(
            32,
            Box::new(move |start: usize, to: &mut [u8]| {
                for (at, row) in to.as_chunks_mut::<32>().0.iter_mut().enumerate() {
                    *row = key(start + at).public;
                }
            }),
        );
        KeyColumns {
            keys: plan.secret_input_of(KEY * secret, secret_halves),
            key_stride: KEY as u64,
            public: plan.input_of(32 * public, public_keys),
            public_stride: 32,
            expansion: None,
        }
    }
}

impl SignEd25519<'_> {
    pub(super) fn kernel_files(&self) -> (&'static str, Vec<&'static str>) {
        let check = if self.is_checked { VERIFY_FILES } else { &[] };
        (CURVE, [&["ed25519_sign"], check].concat())
    }

    pub(super) fn gpu_self_tests(&self, items: usize) -> Vec<SelfTest> {
        known_answers::of_signing(self.is_checked, key_tables::may_build(items))
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let count = items.len();
        let first = items.start;
        let dom2 = Dom2::new(plan, &self.variant);
        let TextColumns { data, offsets } = TextColumns::new(plan, &self.messages, items.clone());
        let KeyColumns {
            keys,
            key_stride,
            public,
            public_stride,
            expansion,
        } = KeyColumns::new(plan, self.keys.slice(items).0, self.is_checked);
        let products = Products::new(plan);
        let signatures = plan.column::<Signatures>();
        // Also the codes of results: 0 if the CPU has to sign because the message is too long for
        // the device.
        let on_device = on_device_codes(plan, &self.messages, first);
        let checking = self.is_checked.then(|| Checking::new(plan, on_device));
        plan.codes(on_device);
        plan.result(0, signatures, 64);
        let signed = SignedColumns {
            dom2,
            data,
            offsets,
            signatures,
            keys: public,
            on_device,
        };
        let Dom2 {
            bytes: dom2,
            length: dom2_bytes,
        } = dom2;
        Box::new(move |Running { slot, expected, .. }: &mut Running| {
            let n = count as u64;
            let nonces = products.scalars;
            expansion.map_or(Ok(()), |expansion| expansion.expand(slot, products, n))?;
            kernels::Ed25519Nonces {
                keys,
                key_stride,
                dom2,
                dom2_bytes,
                data,
                offsets,
                nonces,
                n,
            }
            .launch(slot, CURVE)?;
            products.encode(slot, signatures.into(), 64, n)?;
            kernels::Ed25519Sign {
                keys,
                key_stride,
                public_keys: public.into(),
                public_stride,
                dom2,
                dom2_bytes,
                data,
                offsets,
                nonces,
                signatures,
                n,
            }
            .launch(slot, CURVE)?;
            checking.map_or(Ok(()), |checking| {
                checking.check(slot, signed, count, *expected)
            })
        })
    }
}

/// The verification of a chunk's signatures before they leave the device. Signatures with a faulty
/// public key do not verify either.
struct Checking {
    equations: Equations<'static>,
    verified: Verified<Codes>,
}

impl Checking {
    fn new(plan: &mut Plan, on_device: Column<Codes>) -> Self {
        let equations = Equations::new(plan, None);
        let verified = Verified::new(plan, equations.verdicts, on_device);
        Checking {
            equations,
            verified,
        }
    }

    fn check(
        &self,
        slot: &mut StreamSlot,
        signed: SignedColumns,
        n: usize,
        expected: usize,
    ) -> Result<(), Fault> {
        self.equations
            .verify(slot, signed, rule_bits(Rule::Cofactorless), n, expected)?;
        self.verified.require(slot)
    }
}

impl PublicKeysOfSeeds<'_> {
    pub(super) fn gpu_self_tests(&self) -> Vec<SelfTest> {
        vec![known_answers::PUBLIC_KEYS]
    }

    pub(super) fn plan_gpu_chunk<'a>(
        &'a self,
        plan: &mut Plan<'a>,
        items: Range<usize>,
    ) -> Launch<'a> {
        let n = items.len();
        let expansion = Expansion::new(plan, self.seeds.slice(items));
        let products = Products::new(plan);
        let codes = plan.column::<Codes>();
        plan.codes(codes);
        plan.result(0, expansion.public, 32);
        Box::new(move |Running { slot, .. }: &mut Running| {
            // Every seed is a valid key.
            slot.fill(codes, Verdict::VALID_CODE, n)?;
            expansion.expand(slot, products, n as u64)
        })
    }
}
