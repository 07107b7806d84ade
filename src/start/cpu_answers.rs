//! Self-tests of the vector instructions with known answers. The availability of the instructions
//! is not enough to trust them: the processor or the compiler may be faulty.

use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::host::process::get_or_compute;
use crate::known_answers::signatures::{SchemeAnswers, Signatures};
use crate::known_answers::{self, KnownAnswers, Schnorr, compare, repeat};
use crate::operation::Computation;
use crate::ops::ecdh::Agreement;
use crate::ops::edwards25519;
use crate::ops::hash::{self, DigestsOf, Function, SizedTexts};
use crate::ops::hash_to_curve::{self, Dst, HashToCurve, Suite};
use crate::ops::keys::PublicKeysOf;
use crate::ops::mask::{Form, Mask, Source};
use crate::ops::point::{DecodeKeys, Mul, MulBase, SumsOfProducts, point_of};
use crate::ops::ristretto255;
use crate::ops::tweak::{Tweak, Tweaks};
use crate::ops::x25519;
use crate::schemes::common::known_answers::answers;
use crate::schemes::common::{
    Chunks, Scheme, SignDigests, Signing, SigningInputs, Verification, VerifyDigests,
    signature_and_id_of, verdict_of,
};
use crate::schemes::ecdsa::recover::{Recover, RecoveredForm};
use crate::schemes::ecdsa::recover_cpu;
use crate::schemes::{SCHEMES, bip340, ed25519};
use crate::types::{
    Check, Policy, PublicKeys, Results, Rows, SecretKey, SecretKeys, Values, bytes_of,
};
use sha3::{Digest, Keccak256};
use std::sync::OnceLock;

/// Number of keys that get tables at the same time, more than a vector has lanes, and their uses.
const KEYS: usize = 9;
const USES: usize = 18;
/// Messages that are hashed to points: two elements for each are more than a vector has lanes.
const HASHED: usize = 5;
/// Bytes of a block of Keccak-256.
const KECCAK_BLOCK: usize = 136;

/// Returns the first wrong answer of an engine with vector instructions. The first engine of the
/// process checks this, which takes a few milliseconds.
pub fn problem(engine: &CpuEngine) -> Option<&'static str> {
    static PROBLEM: OnceLock<Option<String>> = OnceLock::new();
    get_or_compute(&PROBLEM, || check(engine).err()).as_deref()
}

/// Checks all operations. The curves are checked in parallel if there are enough threads.
fn check(engine: &CpuEngine) -> Result<(), String> {
    let of_curves = engine.pool.map(1, CurveId::ALL.len(), Ok(()), |index| {
        let curve = CurveId::ALL[index];
        of_curve(engine, curve, known_answers::of(curve))?;
        SCHEMES
            .iter()
            .filter(|scheme| scheme.is_on(curve))
            .try_for_each(|scheme| of_scheme(engine, curve, scheme, answers(scheme, curve)))?;
        of_hash_to_curve(engine, curve)
    });
    of_curves.into_iter().collect::<Result<(), String>>()?;
    of_bip340(engine, known_answers::schnorr())?;
    of_tweaks(engine, &known_answers::schnorr().tweaks)?;
    ed25519::known_answers::of_lanes(engine)?;
    x25519::known_answers::of_lanes(engine)?;
    ristretto255::known_answers::of_lanes(engine)?;
    edwards25519::known_answers::of_lanes(engine)?;
    of_hashes(engine)
}

fn of_curve(engine: &CpuEngine, curve: CurveId, answers: &KnownAnswers) -> Result<(), String> {
    of_points(engine, curve, answers)?;
    of_secrets(engine, curve, answers)
}

fn of_bip340(engine: &CpuEngine, answers: &Schnorr) -> Result<(), String> {
    let curve = CurveId::Secp256k1.name();
    // All signatures once, and some repeated often enough that their keys get tables.
    let all = answers.messages.len();
    let few = KEYS;
    for (operation, distinct, items) in [
        ("BIP 340 verification", all, all),
        ("BIP 340 verification by tables of keys", few, few * USES),
    ] {
        let messages = repeat(&answers.messages[..distinct], items);
        let signatures = repeat(&answers.signatures[..distinct], items);
        let keys = repeat(&answers.keys[..distinct], items);
        let messages = bip340::Messages::Rows((&messages).into());
        let keys = PublicKeys::x_only(&keys);
        let signatures = (&signatures).into();
        let chunks = Chunks::new(items);
        let verify = bip340::VerifyBip340 {
            messages,
            signatures,
            keys,
            batch_verification: false,
            chunks,
            items,
        };
        compare(
            operation,
            curve,
            values(engine, &verify, verdict_of),
            repeat(&answers.verdicts[..distinct], items),
        )?;
    }
    let texts = &answers.texts;
    let items = answers.texts.len();
    for public in [None, Some(PublicKeys::compressed(&answers.public))] {
        let messages = bip340::Messages::Texts(SizedTexts::new(engine, items, |item| &texts[item]));
        let auxiliary = SecretKeys::rows((&answers.auxiliary).into());
        let keys = (&answers.secret).into();
        let sign = bip340::SignBip340 {
            messages,
            keys,
            public,
            auxiliary,
            is_checked: false,
            items,
        };
        compare(
            "BIP 340 signing",
            curve,
            values(engine, &sign, bytes_of),
            answers.signed.iter().copied(),
        )?;
    }
    Ok(())
}

fn of_tweaks(engine: &CpuEngine, answers: &known_answers::Tweaks) -> Result<(), String> {
    let curve = CurveId::Secp256k1.name();
    let items = answers.keys.len();
    let [outputs, without_roots] = &answers.outputs;
    for (tweaks, known) in [
        (Tweaks::Given((&answers.numbers).into()), &answers.sums),
        (Tweaks::Taproot(Some((&answers.roots).into())), outputs),
        (Tweaks::Taproot(None), without_roots),
    ] {
        let tweak = Tweak {
            keys: PublicKeys::points(&answers.keys),
            tweaks,
            items,
        };
        compare(
            "tweaks of keys",
            curve,
            values(engine, &tweak, point_of),
            known.iter().copied(),
        )?;
    }
    Ok(())
}

/// Checks the hashes of messages of all lengths up to two blocks.
fn of_hashes(engine: &CpuEngine) -> Result<(), String> {
    let texts: Vec<_> = (0..2 * KECCAK_BLOCK)
        .map(hash::known_answers::message)
        .collect();
    let messages = SizedTexts::new(engine, texts.len(), |item| &texts[item]);
    let known = texts.iter().map(|text| Ok(Keccak256::digest(text).into()));
    let digests = DigestsOf {
        function: Function::Keccak256,
        messages,
    };
    compare(
        "Keccak-256",
        "messages",
        values(engine, &digests, bytes_of::<32>),
        known,
    )
}

/// Checks the maps of RFC 9380 with points from the RustCrypto crates, and products of secret
/// points, which are the points themselves if the factor is one.
fn of_hash_to_curve(engine: &CpuEngine, curve: CurveId) -> Result<(), String> {
    let texts: Vec<_> = (0..HASHED).map(hash::known_answers::message).collect();
    let dst = Dst::new(b"gecc self-test");
    let mut one = [0; 32];
    one[31] = 1;
    let one = SecretKey::from_bytes(one);
    let suites = [Suite::P256SswuRo, Suite::Secp256k1SswuRo];
    for suite in suites.into_iter().filter(|suite| suite.curve() == curve) {
        let hashing = || HashToCurve {
            suite,
            dst,
            messages: SizedTexts::new(engine, texts.len(), |item| &texts[item]),
        };
        let known = hash_to_curve::cpu::reference_points(&hashing());
        let mask = Mask {
            source: Source::Items(hashing()),
            keys: (&one).into(),
            form: Form::Raw,
            are_results_secret: false,
        };
        compare(
            "hashing to points",
            curve.name(),
            values(engine, &hashing(), point_of),
            known.iter().copied(),
        )?;
        compare(
            "masking",
            curve.name(),
            values(engine, &mask, point_of),
            known,
        )?;
    }
    Ok(())
}

/// Returns an operation's results on the CPU.
fn values<T: Send>(
    engine: &CpuEngine,
    operation: &dyn Computation,
    value: impl Fn(&Results, usize) -> T + Sync,
) -> Vec<T> {
    let items = operation.items();
    let mut values = Values::new(items, value);
    operation.compute_on_cpu(engine, 0..items, &mut values.sink());
    // SAFETY: an operation on the CPU has results of every item.
    unsafe { values.into_vec() }
}

fn of_points(
    engine: &CpuEngine,
    curve: CurveId,
    KnownAnswers { points, .. }: &KnownAnswers,
) -> Result<(), String> {
    let name = curve.name();
    let (scalars, known): (Vec<_>, Vec<_>) = points.base_products.iter().copied().unzip();
    let mul_base = MulBase {
        curve,
        scalars: Rows::from(&scalars),
        items: scalars.len(),
    };
    compare(
        "multiplication of G",
        name,
        values(engine, &mul_base, point_of),
        known,
    )?;
    let scalars: Vec<_> = points.products.iter().map(|(scalar, ..)| *scalar).collect();
    let factors: Vec<_> = points.products.iter().map(|(_, point, _)| *point).collect();
    let known = points.products.iter().map(|(.., product)| *product);
    let factors = PublicKeys::points(&factors);
    let items = scalars.len();
    let mul = Mul {
        curve,
        scalars: Rows::from(&scalars),
        points: factors,
        items,
    };
    compare(
        "multiplication",
        name,
        values(engine, &mul, point_of),
        known,
    )?;
    let (scalars, terms, sum) = &points.sum_of_products;
    let sums = SumsOfProducts {
        curve,
        scalars: scalars.into(),
        points: terms.into(),
        of: terms.len(),
    };
    let given = values(engine, &sums, point_of).into_iter().take(1);
    compare("multi-scalar multiplication", name, given, [Ok(*sum)])?;
    let (keys, known): (Vec<_>, Vec<_>) = points.keys_of::<33>().into_iter().unzip();
    let decode = DecodeKeys {
        curve,
        keys: PublicKeys::compressed(&keys),
        items: keys.len(),
    };
    compare(
        "decompression",
        name,
        values(engine, &decode, point_of),
        known,
    )
}

fn of_secrets(engine: &CpuEngine, curve: CurveId, answers: &KnownAnswers) -> Result<(), String> {
    let KnownAnswers {
        private_keys,
        agreements,
        ..
    } = answers;
    let name = curve.name();
    let public = PublicKeysOf {
        curve,
        keys: (&private_keys.keys).into(),
        items: private_keys.keys.len(),
    };
    let known = private_keys.public.iter().copied();
    compare(
        "computing public keys",
        name,
        values(engine, &public, point_of),
        known,
    )?;
    let secret_keys = (&agreements.keys).into();
    let peers = PublicKeys::points(&agreements.peers);
    let agreement = Agreement {
        curve,
        secret_keys,
        peers,
        width: 64,
        items: agreements.keys.len(),
    };
    compare(
        "ECDH",
        name,
        values(engine, &agreement, bytes_of),
        agreements.shared.iter().copied(),
    )
}

fn of_scheme(
    engine: &CpuEngine,
    curve: CurveId,
    scheme: &'static Scheme,
    SchemeAnswers {
        signatures,
        signing,
    }: &SchemeAnswers,
) -> Result<(), String> {
    let all = signatures.digests.len();
    let few = KEYS;
    verification(
        engine,
        curve,
        scheme,
        signatures,
        ("verification", all, all),
    )?;
    // Some are repeated often enough that their keys get tables.
    verification(
        engine,
        curve,
        scheme,
        signatures,
        ("verification by tables of keys", few, few * USES),
    )?;
    if scheme.has_recovery {
        recovery(engine, curve, signatures)?;
    }
    // All keys twice, which is more than a vector has lanes.
    let items = 2 * signing.keys.len();
    let keys = repeat(&signing.keys, items);
    let digests = repeat(&signing.digests, items);
    let with_id = scheme.has_recovery;
    let inputs = SigningInputs {
        digests: (&digests).into(),
        signers: (&keys).into(),
    };
    let low_s = curve.has_low_s_by_default();
    let widths = [64, usize::from(with_id)];
    let sign = SignDigests {
        scheme,
        curve,
        signing: Signing {
            inputs,
            low_s,
            check: Check::Nothing,
            widths,
        },
        items,
    };
    compare(
        "signing",
        curve.name(),
        values(engine, &sign, signature_and_id_of),
        repeat(&signing.signed, items),
    )
}

/// Checks verification of `items` items, which repeat the first `distinct` signatures.
fn verification(
    engine: &CpuEngine,
    curve: CurveId,
    scheme: &'static Scheme,
    Signatures {
        digests,
        signatures,
        keys,
        verdicts,
        ..
    }: &Signatures,
    (operation, distinct, items): (&str, usize, usize),
) -> Result<(), String> {
    let digests = repeat(&digests[..distinct], items);
    let signatures = repeat(&signatures[..distinct], items);
    let keys = repeat(&keys[..distinct], items);
    let keys = PublicKeys::points(&keys);
    let inputs = Verification::new((&digests).into(), (&signatures).into(), keys);
    let verify =
        VerifyDigests::new(scheme, curve, inputs, Policy::low_s(), items).expect("lengths agree");
    compare(
        operation,
        curve.name(),
        values(engine, &verify, verdict_of),
        repeat(&verdicts[..distinct], items),
    )
}

fn recovery(engine: &CpuEngine, curve: CurveId, signatures: &Signatures) -> Result<(), String> {
    let Signatures {
        digests,
        signatures,
        recovery_ids,
        recovered,
        ..
    } = signatures;
    let inputs =
        recover_cpu::RecoveryInputs::new(digests, signatures, recovery_ids.as_chunks::<1>().0);
    let recover = Recover {
        curve,
        inputs,
        candidates: None,
        form: RecoveredForm::Keys,
        items: digests.len(),
    };
    compare(
        "recovery",
        curve.name(),
        values(engine, &recover, point_of),
        recovered.iter().copied(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::simd::Lanes;
    use crate::curve::{PerCurve, per_curve};
    use crate::schemes::common::verify_cpu::best_window;
    use crate::schemes::ecdsa::{self, ECDSA};
    use crate::types::{Point, Rejection, Verdict};

    fn lanes() -> CpuEngine {
        CpuEngine::new(Some(1), None).unwrap()
    }

    /// The portable code also gives the known answers.
    #[test]
    fn portable_code_gives_known_answers() {
        check(&lanes().portable()).unwrap();
    }

    #[test]
    fn repeated_keys_get_tables() {
        type BestWindow = fn(Option<Lanes>, usize) -> Option<u32>;
        static BEST_WINDOW: PerCurve<BestWindow> = per_curve!(best_window);
        for curve in CurveId::ALL {
            for engine in [lanes(), lanes().portable()] {
                assert!(
                    BEST_WINDOW.of(*curve)(engine.lanes, USES).is_some(),
                    "{curve}"
                );
            }
        }
    }

    #[test]
    fn vector_code_is_tested_before_use() {
        let engine = super::super::with_tested_lanes(lanes());
        assert_eq!((problem(&engine), engine.problem_of_lanes), (None, None));
    }

    /// A change to the known answers that makes one of them wrong.
    type Corruption<Answers> = fn(&mut Answers);

    #[test]
    fn wrong_answers_of_a_curve_are_reported_with_their_operation() {
        let corruptions: [(&str, Corruption<KnownAnswers>); 6] = [
            ("multiplication of G", |answers| {
                answers.points.base_products[1].1 = Err(Rejection::Mismatch)
            }),
            ("multiplication", |answers| {
                answers.points.products.last_mut().unwrap().2 = Ok(another_point())
            }),
            ("multi-scalar multiplication", |answers| {
                answers.points.sum_of_products.2 = another_point()
            }),
            ("decompression", |answers| {
                answers.points.keys[1].1 = Ok(another_point())
            }),
            ("computing public keys", |answers| {
                answers.private_keys.public[2] = Ok(another_point())
            }),
            ("ECDH", |answers| answers.agreements.shared[3] = Ok([7; 64])),
        ];
        let engine = lanes();
        for (operation, corrupt) in corruptions {
            let mut answers = known_answers::new(CurveId::P256);
            corrupt(&mut answers);
            let problem = of_curve(&engine, CurveId::P256, &answers).unwrap_err();
            assert_eq!(problem.split(" on p256").next(), Some(operation));
        }
    }

    #[test]
    fn wrong_answers_of_a_scheme_are_reported_with_their_operation() {
        let corruptions: [(&str, Corruption<SchemeAnswers>); 3] = [
            ("verification", |answers| {
                answers.signatures.verdicts[8] = Verdict::Valid
            }),
            ("recovery", |answers| {
                answers.signatures.recovered[6] = Ok(another_point())
            }),
            ("signing", |answers| {
                answers.signing.signed[0] = Ok(([1; 64], 0))
            }),
        ];
        let engine = lanes();
        for (operation, corrupt) in corruptions {
            let mut answers = ecdsa::known_answers::new(CurveId::P256);
            corrupt(&mut answers);
            let problem = of_scheme(&engine, CurveId::P256, &ECDSA, &answers).unwrap_err();
            assert_eq!(problem.split(" on p256").next(), Some(operation));
        }
    }

    #[test]
    fn wrong_answers_of_bip340_and_tweaks_are_reported_with_their_operation() {
        let corruptions: [(&str, Corruption<Schnorr>); 3] = [
            ("BIP 340 verification", |answers| {
                answers.verdicts[7] = Verdict::Valid
            }),
            ("BIP 340 signing", |answers| answers.signed[2] = Ok([1; 64])),
            ("tweaks of keys", |answers| {
                answers.tweaks.outputs[1][0] = Ok(another_point())
            }),
        ];
        let engine = lanes();
        for (operation, corrupt) in corruptions {
            let mut answers = Schnorr::new();
            corrupt(&mut answers);
            let problem =
                of_bip340(&engine, &answers).and_then(|()| of_tweaks(&engine, &answers.tweaks));
            assert_eq!(
                problem.unwrap_err().split(" on secp256k1").next(),
                Some(operation)
            );
        }
    }

    /// Returns a point that differs from all those it replaces.
    fn another_point() -> Point {
        known_answers::of(CurveId::P256).points.doubles[4].0
    }
}
