//! Every operation on a GPU with every option that changes what a chunk takes, for tests of plans.

use super::hash::{Sha256, SizedIds, SizedTexts, Sm3};
use super::known_answers::{Test, Tests};
use super::modular::{Modexp, MulMod};
use super::pipeline::{Machine, Operation};
use super::plan::Bytes;
use super::point::{Add, DecodeKeys, Double, Mul, MulBase};
use super::recover::{AddressRows, Recover};
use super::rows::PointRows;
use super::secret::{Agreement, PublicKeysOf};
use super::sign::{self, Sign};
use super::verify::Verify;
use crate::cpu::CpuEngine;
use crate::cpu::recover::Inputs;
use crate::curve::{P256, Secp256k1, Sm2};
use crate::ecdsa::Check;
use crate::types::{Point, PublicKeys};
use crate::types::Verdicts;
use crate::types::{SecretKey, SecretKeys, SharedPoint, SharedSecret};
use std::marker::PhantomData;
use std::ops::Range;

/// What an operation says before it computes.
pub struct Planned<'a> {
    /// The memory of a chunk.
    pub bytes: &'a dyn Fn(&Machine, Range<usize>) -> Bytes,
    /// Where its batch is cut.
    pub cuts: &'a dyn Fn(&Machine) -> Vec<usize>,
    /// By what it is tested before a chunk of so many items.
    pub tests: &'a dyn Fn(usize) -> &'static [Test],
}

/// Gets an operation's name, and what it says.
pub type Take<'a> = &'a mut dyn FnMut(String, Planned);

fn take<O: Operation>(take: Take, name: impl ToString, operation: &O) {
    let planned = Planned {
        bytes: &|machine, items| machine.bytes(operation, &items),
        cuts: &|machine| machine.cuts(operation),
        tests: &|items| operation.tests(items),
    };
    take(name.to_string(), planned);
}

/// All, with batches of so many items.
pub fn each(items: usize, with: Take) {
    let points = vec![Point::IDENTITY; items];
    let secret = vec![SecretKey::from_bytes([1; 32]); items];
    let (numbers, signatures, ids) = (vec![[1; 32]; items], vec![[1; 64]; items], vec![0; items]);
    take(with, "add", &Add::<P256>(&points, &points, PhantomData));
    take(with, "double", &Double::<P256>(&points, PhantomData));
    take(with, "mul_base", &MulBase::<P256>(&numbers, PhantomData));
    take(with, "mul", &Mul::<P256>(&numbers, &points, PhantomData));
    let inputs = Inputs { digests: &numbers, signatures: &signatures, recovery_ids: &ids };
    take(with, "recover", &Recover::<Secp256k1, PointRows>::new(inputs));
    take(with, "recover_addresses", &Recover::<Secp256k1, AddressRows>::new(inputs));
    take(with, "public_keys", &PublicKeysOf::<Sm2>(&secret, PhantomData));
    for check in [Check::Nothing, Check::Signatures, Check::RecoveryIds] {
        for (which, keys) in [("each", SecretKeys::each(&secret)), ("all", SecretKeys::all(&secret[0]))] {
            sign::tests::with_scheme(&numbers, keys, check, |sign: &Sign<_>| {
                take(with, format!("sign {check:?}, keys for {which}"), sign);
            });
        }
    }
    of_keys(items, [&numbers, &numbers], &signatures, &secret, &points, with);
    modular(items, with);
}

/// Those that take public keys, in every encoding.
fn of_keys(
    items: usize,
    [digests, texts]: [&[[u8; 32]]; 2],
    signatures: &[[u8; 64]],
    secret: &[SecretKey],
    points: &[Point],
    with: Take,
) {
    let (compressed, uncompressed) = (vec![[2; 33]; items], vec![[4; 65]; items]);
    let sec1: Vec<&[u8]> = compressed.iter().map(|key| key.as_slice()).collect();
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    let on_cpu = |_: Range<usize>| Vec::new();
    take(with, "sha256", &Sha256 { messages: SizedTexts::new(&cpu, items, |item| &texts[item]), on_cpu: &on_cpu });
    for (form, keys) in [
        ("compressed", PublicKeys::compressed(&compressed)),
        ("uncompressed", PublicKeys::uncompressed(&uncompressed)),
        ("raw", PublicKeys::raw(signatures)),
        ("points", PublicKeys::points(points)),
        ("sec1", PublicKeys::sec1(&sec1)),
        ("all", PublicKeys::all(&compressed[0])),
    ] {
        take(with, format!("decode {form}"), &DecodeKeys::<P256>(keys, items, PhantomData));
        let (equations, on_cpu) = (&super::verify::sm2_equations, &|_: &CpuEngine, _| Verdicts::new(Vec::new()));
        let tests = Tests::<P256>::ECDSA.verify;
        let verify = Verify { curve: "p256", digests, signatures, keys, equations, on_cpu, tests };
        take(with, format!("verify {form}"), &verify);
        for (which, secret) in [("each", SecretKeys::each(secret)), ("all", SecretKeys::all(&secret[0]))] {
            let name = format!("{form} with keys for {which}");
            take(with, format!("shared_points {name}"), &Agreement::<P256, SharedPoint>::new(items, secret, keys));
            take(with, format!("shared_secrets {name}"), &Agreement::<P256, SharedSecret>::new(items, secret, keys));
        }
        for (which, all) in [("each", false), ("all", true)] {
            let (messages, id) = (SizedTexts::new(&cpu, items, |item| &texts[item]), [0x31; 16]);
            let ids = match all {
                true => SizedIds::All(SizedTexts::new(&cpu, 1, |_| &id)),
                false => SizedIds::Each(SizedTexts::new(&cpu, items, |_| &id)),
            };
            let sm3 = Sm3 { messages, ids, keys, on_cpu: &|_: Range<usize>| Vec::new() };
            take(with, format!("sm3 {form} with ids for {which}"), &sm3);
        }
    }
}

fn modular(items: usize, with: Take) {
    fn powers<const BYTES: usize, const EXPONENT: usize>(items: usize, with: Take) {
        let (modulus, bases, exponents) = ([0xff; BYTES], vec![[1; BYTES]; items], vec![[1; EXPONENT]; items]);
        let name = format!("modexp {BYTES} {EXPONENT}");
        take(with, name, &Modexp::new(&modulus, &bases, &exponents));
    }
    fn products<const BYTES: usize>(items: usize, with: Take) {
        let (modulus, a) = ([0xff; BYTES], vec![[1; BYTES]; items]);
        take(with, format!("mul_mod {BYTES}"), &MulMod::new(&modulus, &a, Some(&a)));
        take(with, format!("square_mod {BYTES}"), &MulMod::new(&modulus, &a, None));
    }
    powers::<128, 3>(items, with);
    powers::<192, 192>(items, with);
    powers::<256, 256>(items, with);
    products::<16>(items, with);
    products::<24>(items, with);
    products::<32>(items, with);
    products::<40>(items, with);
    products::<48>(items, with);
    products::<56>(items, with);
    products::<64>(items, with);
}
