//! Known answers of X25519: those of RFC 7748, those of points of small order, and others computed
//! by the portable code. The private keys are for tests only.

use super::cpu::{clamped, u_coordinate};
use super::gpu::CURVE;
use super::{AllZero, BASE, X25519};
use crate::cpu::CpuEngine;
use crate::cpu::edwards::ladder;
use crate::cpu::field::limbs::to_le_bytes;
use crate::gpu::schedule::operation::ITEMS;
use crate::gpu::{Fault, SelfTest, SelfTestRun};
use crate::known_answers::{bytes, compare, repeat};
use crate::operation::Computation;
use crate::types::{PublicKeys, Rejection, Rows, SecretKeys, Values, bytes_of};

/// The self-test of devices.
pub(crate) const X25519: SelfTest = SelfTest::new("X25519", CURVE, run);

/// Items whose answers are computed by the portable code, in addition to those of RFC 7748.
const COMPUTED: usize = 11;

/// Private keys and public keys of peers, with the shared secrets, or the rejections of secrets
/// that are zero.
struct Answers {
    keys: Vec<[u8; 32]>,
    peers: Vec<[u8; 32]>,
    secrets: Vec<Result<[u8; 32], Rejection>>,
}

/// RFC 7748, section 5.2: scalars, u-coordinates and results. The first u-coordinate of the second
/// row has its highest bit set.
const OF_RFC: [[[u8; 32]; 3]; 2] = [
    [
        bytes("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
        bytes("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
        bytes("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"),
    ],
    [
        bytes("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
        bytes("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493"),
        bytes("95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"),
    ],
];

impl Answers {
    fn new() -> Self {
        let mut answers = Answers {
            keys: Vec::new(),
            peers: Vec::new(),
            secrets: Vec::new(),
        };
        for [key, peer, secret] in OF_RFC {
            answers.push(key, peer, Ok(secret));
        }
        // The points of order 2 and 4 (u = 0 and u = 1), and p, which is 0.
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        for peer in [
            [0; 32],
            [&[1][..], &[0; 31]].concat().try_into().expect("32 bytes"),
            p,
        ] {
            answers.push(OF_RFC[0][0], peer, Err(Rejection::IdentityResult));
        }
        for item in 0..COMPUTED {
            // All bits of keys and of peers are set and clear in some item.
            let key = std::array::from_fn(|byte| (7 * byte + 41 * item) as u8);
            let peer = if item == 0 {
                BASE
            } else {
                std::array::from_fn(|byte| (0xffff - 11 * byte + 29 * item) as u8)
            };
            let product = ladder::products(&[clamped(&key)], &[u_coordinate(&peer)]);
            answers.push(key, peer, Ok(to_le_bytes(&product[0])));
        }
        answers
    }

    fn push(&mut self, key: [u8; 32], peer: [u8; 32], secret: Result<[u8; 32], Rejection>) {
        self.keys.push(key);
        self.peers.push(peer);
        self.secrets.push(secret);
    }

    /// Repeats the items.
    fn repeated(self, items: usize) -> Self {
        Answers {
            keys: repeat(&self.keys, items),
            peers: repeat(&self.peers, items),
            secrets: repeat(&self.secrets, items),
        }
    }

    fn operation(&self, all_zero: AllZero) -> X25519<'_> {
        X25519 {
            secret_keys: SecretKeys::rows(Rows::new(&self.keys)),
            peers: PublicKeys::x25519(&self.peers),
            all_zero,
            are_results_secret: true,
            items: self.keys.len(),
        }
    }

    /// Returns the results with zeros where zero is rejected.
    fn with_zeros(&self) -> Vec<Result<[u8; 32], Rejection>> {
        self.secrets
            .iter()
            .map(|secret| Ok(secret.unwrap_or_default()))
            .collect()
    }
}

/// Tests rejected and accepted zeros.
fn run(trial: &mut SelfTestRun) -> Result<(), Fault> {
    let answers = Answers::new().repeated(ITEMS);
    trial.check(
        &answers.operation(AllZero::Reject),
        bytes_of,
        answers.secrets.clone(),
    )?;
    trial.check(
        &answers.operation(AllZero::Accept),
        bytes_of,
        answers.with_zeros(),
    )
}

/// # Errors
/// A description of the first wrong answer of an engine with vector code.
pub(crate) fn of_lanes(engine: &CpuEngine) -> Result<(), String> {
    let answers = Answers::new();
    let operation = answers.operation(AllZero::Reject);
    let items = operation.items();
    let mut values = Values::new(items, bytes_of);
    operation.compute_on_cpu(engine, 0..items, &mut values.sink());
    // SAFETY: an operation on the CPU has results of every item.
    let computed = unsafe { values.into_vec() };
    compare("X25519", CURVE, computed, answers.secrets)
}
