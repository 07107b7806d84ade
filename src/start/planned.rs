//! Plans every operation with every option that affects the memory of a chunk on a GPU.

use crate::cpu::CpuEngine;
use crate::curve::CurveId;
use crate::gpu::runtime::{Bytes, STREAMS, Unit};
use crate::gpu::schedule::Machine;
use crate::known_answers::{self, SilentPayments};
use crate::operation::Computation;
use crate::ops::ecdh::Agreement;
use crate::ops::hash::{DigestsOf, Function, SizedTexts};
use crate::ops::hash_to_curve::{Dst, HashToCurve, Suite};
use crate::ops::keys::PublicKeysOf;
use crate::ops::mask::{Form, Mask, Source};
use crate::ops::modular::{Modexp, MulMod};
use crate::ops::point::{Add, DecodeKeys, Double, Mul, MulBase, Sums, SumsOfProducts};
use crate::ops::ristretto255;
use crate::ops::ristretto255::{Bases, Map, Multiply};
use crate::ops::silent_payments::{Expected, Receiver, TweakPoints};
use crate::ops::tweak::{Tweak, Tweaks};
use crate::ops::x25519::{AllZero, X25519};
use crate::schemes::common::{
    Chunks, Scheme, SignDigests, Signing, SigningInputs, Verification, VerifyDigests,
};
use crate::schemes::ecdsa::recover::{Candidates, Recover, RecoveredForm};
use crate::schemes::ecdsa::recover_cpu;
use crate::schemes::sm2::digest::MessageDigests;
use crate::schemes::{SCHEMES, bip340, ed25519};
use crate::types::{
    ByteRows, Check, Point, Policy, PublicKeys, Rows, SecretKey, SecretKeys, Signers,
};
use sha2::Sha512;
use std::collections::BTreeSet;

/// Receives an operation's name, and the operation.
type Take<'a> = &'a mut dyn FnMut(String, &dyn Computation);

/// Returns a curve that supports the scheme.
fn curve_of(scheme: &Scheme) -> CurveId {
    let found = CurveId::ALL.iter().find(|curve| scheme.is_on(**curve));
    *found.expect("every scheme has a curve")
}

/// Calls `take` with all operations on `items` items; sums have `items` points.
pub fn each(items: usize, take: Take) {
    let points = vec![Point::IDENTITY; items];
    let curve = CurveId::P256;
    let secret = vec![SecretKey::from_bytes([1; 32]); items];
    let numbers = vec![[1; 32]; items];
    let signatures = vec![[1; 64]; items];
    let ids = vec![[0]; items];
    let columns = PlannedColumns {
        numbers: &numbers,
        signatures: &signatures,
        secret: &secret,
        points: &points,
    };
    for (form, scalars) in [("each", Rows::from(&numbers)), ("all", Rows::all(&[1; 32]))] {
        take(
            format!("mul_base, scalars for {form}"),
            &MulBase {
                curve,
                scalars,
                items,
            },
        );
    }
    for form in [RecoveredForm::Keys, RecoveredForm::Addresses] {
        let inputs = recover_cpu::RecoveryInputs::new(&numbers, &signatures, &ids);
        let curve = CurveId::Secp256k1;
        take(
            format!("recover {form:?}"),
            &Recover {
                curve,
                inputs,
                candidates: None,
                form,
                items,
            },
        );
        columns.each_encoding(&mut |encoding, keys| {
            let candidates = Some(Candidates {
                keys,
                chunks: Chunks::all(),
            });
            let name = format!("recover {form:?} with candidates {encoding}");
            take(
                name,
                &Recover {
                    curve,
                    inputs,
                    candidates,
                    form,
                    items,
                },
            );
        });
    }
    for (which, keys) in columns.secret_keys() {
        take(
            format!("public_keys, keys for {which}"),
            &PublicKeysOf {
                curve: CurveId::Sm2,
                keys,
                items,
            },
        );
        SCHEMES
            .iter()
            .for_each(|scheme| signing(scheme, &numbers, (keys, which), take));
        hashed_masks(&numbers, (keys, which), take);
        bip340_signing(columns, keys, which, take);
        ed25519_signing(columns, keys, which, take);
        ristretto255_products(&numbers, (keys, which), take);
    }
    columns.each_encoding(&mut |form, keys| of_keys(columns, form, keys, items, take));
    hashes(&numbers, take);
    ristretto255_elements(columns, take);
    modular(items, take);
}

/// The columns with which operations are planned.
#[derive(Clone, Copy)]
struct PlannedColumns<'a> {
    numbers: &'a [[u8; 32]],
    signatures: &'a [[u8; 64]],
    secret: &'a [SecretKey],
    points: &'a [Point],
}

impl PlannedColumns<'_> {
    fn secret_keys(&self) -> [(&'static str, SecretKeys<'_>); 2] {
        [
            ("each", SecretKeys::each(self.secret)),
            ("all", SecretKeys::all(&self.secret[0])),
        ]
    }

    /// Calls `with` with public keys in every encoding, and as parts of records.
    fn each_encoding(&self, with: &mut dyn FnMut(&str, PublicKeys)) {
        let items = self.points.len();
        let compressed = vec![[2; 33]; items];
        let uncompressed = vec![[4; 65]; items];
        let sec1: Vec<&[u8]> = compressed.iter().map(|key| key.as_slice()).collect();
        let records = Rows::strided(uncompressed.as_flattened(), 65, items).expect("they fit");
        with("x-only", PublicKeys::x_only(self.numbers));
        with(
            "x-only for all",
            PublicKeys::x_only(Rows::all(&self.numbers[0])),
        );
        with("compressed", PublicKeys::compressed(&compressed));
        with("uncompressed", PublicKeys::uncompressed(&uncompressed));
        with("raw", PublicKeys::raw(self.signatures));
        with("raw in records", PublicKeys::raw(records));
        with("points", PublicKeys::points(self.points));
        with("sec1", PublicKeys::sec1(&sec1));
        with("all", PublicKeys::all(&compressed[0]));
    }
}

const FORMS: [Form; 5] = [
    Form::Compressed,
    Form::Uncompressed,
    Form::Raw,
    Form::X,
    Form::Truncated(12),
];

/// Returns the operation that hashes texts by a suite, with the longest tag if it takes one.
fn hashing(suite: Suite, texts: &[[u8; 32]]) -> HashToCurve<'_> {
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    HashToCurve {
        suite,
        dst: if suite.takes_dst() {
            Dst::new(&[0x51; 255])
        } else {
            Dst::NONE
        },
        messages: SizedTexts::new(&cpu, texts.len(), |item| &texts[item]),
    }
}

fn hashed_masks(texts: &[[u8; 32]], (keys, which): (SecretKeys, &str), take: Take) {
    for &suite in Suite::ALL {
        for form in FORMS {
            let source = Source::Items(hashing(suite, texts));
            let mask = Mask::new(source, keys, form).expect("a valid form");
            take(
                format!("mask {form:?} of {suite} with keys for {which}"),
                &mask,
            );
        }
    }
}

fn signing(
    scheme: &'static Scheme,
    numbers: &[[u8; 32]],
    (keys, which): (SecretKeys, &str),
    take: Take,
) {
    let curve = curve_of(scheme);
    let items = numbers.len();
    let signers = [
        ("no data", Signers::from(keys)),
        (
            "data for each",
            Signers::with_additional_data(keys, numbers),
        ),
        (
            "data for all",
            Signers::with_additional_data(keys, Rows::all(&numbers[0])),
        ),
    ];
    for check in [Check::Nothing, Check::Signatures, Check::RecoveryIds] {
        if check == Check::RecoveryIds && !scheme.has_recovery {
            continue;
        }
        for (of_id, (data, signers)) in [0, 1]
            .into_iter()
            .flat_map(|of_id| signers.map(|signers| (of_id, signers)))
        {
            let inputs = SigningInputs {
                digests: numbers.into(),
                signers,
            };
            let signing = Signing {
                inputs,
                low_s: true,
                check,
                widths: [64, of_id],
            };
            let name = format!(
                "{} sign {check:?}, keys for {which}, {data}, ids of {of_id} bytes",
                scheme.name
            );
            take(
                name,
                &SignDigests {
                    scheme,
                    curve,
                    signing,
                    items,
                },
            );
        }
    }
}

/// Returns messages as rows and as byte strings.
fn messages(numbers: &[[u8; 32]]) -> [(&'static str, bip340::Messages<'_>); 2] {
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    let texts = SizedTexts::new(&cpu, numbers.len(), |item| &numbers[item]);
    [
        ("rows", bip340::Messages::Rows(numbers.into())),
        ("texts", bip340::Messages::Texts(texts)),
    ]
}

fn bip340_signing(columns: PlannedColumns, keys: SecretKeys, which: &str, take: Take) {
    let items = columns.numbers.len();
    for (public, is_given) in [
        (None, "computed"),
        (Some(PublicKeys::points(columns.points)), "given"),
    ] {
        for is_checked in [false, true] {
            for (form, messages) in messages(columns.numbers) {
                let name = format!(
                    "BIP 340 sign {form}, checked {is_checked}, keys for {which}, public keys {is_given}"
                );
                let auxiliary = SecretKeys::rows(columns.numbers.into());
                take(
                    name,
                    &bip340::SignBip340 {
                        messages,
                        keys,
                        public,
                        auxiliary,
                        is_checked,
                        items,
                    },
                );
            }
        }
    }
}

/// Returns the variants without a context, and with the longest context.
fn variants() -> [(&'static str, ed25519::Variant); 2] {
    let context = [0x63; ed25519::MAX_CONTEXT_LEN];
    [
        ("Ed25519", ed25519::Variant::PURE),
        (
            "Ed25519ctx",
            ed25519::Variant::context(&context).expect("not too long"),
        ),
    ]
}

fn ed25519_signing(columns: PlannedColumns, seeds: SecretKeys, which: &str, take: Take) {
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    let items = columns.numbers.len();
    for is_checked in [false, true] {
        for (scheme, variant) in variants() {
            let messages = SizedTexts::new(&cpu, items, |item| &columns.numbers[item]);
            let sign = ed25519::SignEd25519 {
                variant,
                messages,
                keys: seeds.into(),
                is_checked,
                items,
            };
            take(
                format!("{scheme} sign, checked {is_checked}, seeds for {which}"),
                &sign,
            );
        }
    }
    take(
        format!("Ed25519 public keys, seeds for {which}"),
        &ed25519::PublicKeysOfSeeds { seeds, items },
    );
}

/// Plans the operations that take public keys, or points.
fn of_keys(columns: PlannedColumns, form: &str, keys: PublicKeys, items: usize, take: Take) {
    let curve = CurveId::P256;
    let numbers = Rows::from(columns.numbers);
    take(
        format!("add {form}"),
        &Add {
            curve,
            operands: [keys, PublicKeys::points(columns.points)],
            items,
        },
    );
    take(
        format!("double {form}"),
        &Double {
            curve,
            points: keys,
            items,
        },
    );
    take(
        format!("mul {form}"),
        &Mul {
            curve,
            scalars: numbers,
            points: keys,
            items,
        },
    );
    take(
        format!("sums {form}"),
        &Sums {
            curve,
            points: keys,
            of: items,
        },
    );
    take(
        format!("msm {form}"),
        &SumsOfProducts {
            curve,
            scalars: numbers,
            points: keys,
            of: items,
        },
    );
    take(format!("decode {form}"), &DecodeKeys { curve, keys, items });
    verification(columns, form, keys, items, take);
    for (which, tweaks) in [
        ("given", Tweaks::Given(numbers)),
        ("of roots", Tweaks::Taproot(Some(numbers))),
        ("without roots", Tweaks::Taproot(None)),
    ] {
        take(
            format!("tweaks {which} {form}"),
            &Tweak {
                keys,
                tweaks,
                items,
            },
        );
    }
    for (which, secret_keys) in columns.secret_keys() {
        for width in [32, 64] {
            let agreement = Agreement {
                curve,
                secret_keys,
                peers: keys,
                width,
                items,
            };
            take(
                format!("ecdh {width} {form} with keys for {which}"),
                &agreement,
            );
        }
        for are_results_secret in [false, true] {
            take(
                format!("x25519, secret {are_results_secret}, {form} with keys for {which}"),
                &X25519 {
                    secret_keys,
                    peers: keys,
                    all_zero: AllZero::Reject,
                    are_results_secret,
                    items,
                },
            );
        }
        for masked in FORMS {
            let source = Source::Points {
                curve,
                points: keys,
                items,
            };
            let mask = Mask::new(source, secret_keys, masked).expect("a valid form");
            take(
                format!("mask {masked:?} {form} with keys for {which}"),
                &mask,
            );
        }
    }
    silent_payments(form, keys, items, take);
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    for (which, number) in [("each", items), ("all", 1)] {
        let messages = SizedTexts::new(&cpu, items, |item| &columns.numbers[item]);
        let id = [0x31; 16];
        let ids = SizedTexts::new(&cpu, number, |_| &id);
        take(
            format!("sm3 {form} with ids for {which}"),
            &MessageDigests {
                messages,
                ids,
                keys,
            },
        );
    }
}

/// Plans the verification of all schemes, individually and in batches.
fn verification(columns: PlannedColumns, form: &str, keys: PublicKeys, items: usize, take: Take) {
    for scheme in SCHEMES {
        let ids = scheme.has_recovery.then(|| Rows::all(&[0]));
        for recovery_ids in [None].into_iter().chain(ids.map(Some)) {
            let signatures = columns.signatures.into();
            let inputs = Verification::new(columns.numbers.into(), signatures, keys);
            let inputs = Verification {
                recovery_ids,
                ..inputs
            };
            let curve = curve_of(scheme);
            let policy = Policy::default();
            let verify = VerifyDigests {
                scheme,
                curve,
                inputs,
                policy,
                chunks: Chunks::all(),
                items,
            };
            take(
                format!(
                    "{} verify {form}, together {}",
                    scheme.name,
                    recovery_ids.is_some()
                ),
                &verify,
            );
        }
    }
    for batch_verification in [false, true] {
        for (which, messages) in messages(columns.numbers) {
            let signatures = columns.signatures.into();
            let chunks = Chunks::all();
            let verify = bip340::VerifyBip340 {
                messages,
                signatures,
                keys,
                batch_verification,
                chunks,
                items,
            };
            take(
                format!(
                    "BIP 340 verify {form}, messages in {which}, together {batch_verification}"
                ),
                &verify,
            );
        }
    }
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    let rule = ed25519::Rule::Zip215;
    for batch_verification in [false, true] {
        for (scheme, variant) in variants() {
            let messages = SizedTexts::new(&cpu, items, |item| &columns.numbers[item]);
            let signatures = columns.signatures.into();
            let chunks = Chunks::all();
            let verify = ed25519::VerifyEd25519 {
                variant,
                messages,
                signatures,
                keys,
                rule,
                batch_verification,
                chunks,
                items,
            };
            take(
                format!("{scheme} verify {form}, together {batch_verification}"),
                &verify,
            );
        }
    }
}

/// Plans scans without labels and with one, for one receiver and for two.
fn silent_payments(form: &str, keys: PublicKeys, items: usize, take: Take) {
    let SilentPayments { receivers, .. } = known_answers::silent_payments();
    let (scan_key, spend_key, _) = &receivers[0];
    let [plain, labelled] = [&[][..], &[7]].map(|labels| {
        Receiver::new(
            SecretKey::from_bytes(*scan_key),
            spend_key.as_sec1(),
            labels,
        )
        .expect("valid keys")
    });
    for (which, receivers) in [
        ("one", &[&plain][..]),
        ("one with a label", &[&labelled]),
        ("two", &[&plain, &labelled]),
    ] {
        let expected = Expected {
            tweak_points: keys,
            counters: Rows::all(&[0; 4]),
            receivers,
            items,
        };
        take(format!("silent payments of {which}, {form}"), &expected);
    }
    let outpoints = Rows::all(&[1; 36]);
    take(
        format!("silent payments' tweak points, {form}"),
        &TweakPoints {
            outpoints,
            input_keys: keys,
            items,
        },
    );
}

fn hashes(texts: &[[u8; 32]], take: Take) {
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    for function in Function::ALL {
        let messages = SizedTexts::new(&cpu, texts.len(), |item| &texts[item]);
        take(format!("{function:?}"), &DigestsOf { function, messages });
    }
    for &suite in Suite::ALL {
        take(suite.to_string(), &hashing(suite, texts));
    }
}

fn ristretto255_products(
    numbers: &[[u8; 32]],
    (secret_keys, which): (SecretKeys, &str),
    take: Take,
) {
    for (of, bases) in [
        ("elements", Bases::Elements(numbers.into())),
        ("one element", Bases::Elements(Rows::all(&numbers[0]))),
        ("the generator", Bases::Generator),
    ] {
        take(
            format!("ristretto255 products of {of} with keys for {which}"),
            &Multiply {
                secret_keys,
                bases,
                items: numbers.len(),
            },
        );
    }
}

fn ristretto255_elements(columns: PlannedColumns, take: Take) {
    let cpu = CpuEngine::new(Some(1), None).unwrap();
    let items = columns.numbers.len();
    for rows in [columns.signatures.into(), Rows::all(&columns.signatures[0])] {
        let source = ristretto255::Source::UniformBytes { rows, items };
        take(format!("ristretto255 map of {rows:?}"), &Map { source });
    }
    for length in [10, 255] {
        let source = ristretto255::Source::Messages {
            messages: SizedTexts::new(&cpu, items, |item| &columns.numbers[item]),
            dst: Dst::of::<Sha512>(&vec![0x51; length]),
        };
        take(
            format!("ristretto255 hashes with a tag of {length} bytes"),
            &Map { source },
        );
    }
}

fn modular(items: usize, take: Take) {
    for (bytes, of_exponents) in [(128, 3), (192, 192), (256, 256)] {
        let modulus = vec![0xff; bytes];
        let bases = vec![1; bytes * items];
        let exponents = vec![1; of_exponents * items];
        let bases = ByteRows::new(&bases, bytes);
        let exponents = ByteRows::new(&exponents, of_exponents);
        let name = format!("modexp {bytes} {of_exponents}");
        take(
            name,
            &Modexp::new(&modulus, bases, exponents).expect("an odd modulus"),
        );
    }
    for bytes in (16..=64).step_by(8) {
        let modulus = vec![0xff; bytes];
        let a = vec![1; bytes * items];
        let a = ByteRows::new(&a, bytes);
        take(
            format!("mul_mod {bytes}"),
            &MulMod::new(&modulus, a, Some(a)).expect("an odd modulus"),
        );
        take(
            format!("square_mod {bytes}"),
            &MulMod::new(&modulus, a, None).expect("an odd modulus"),
        );
    }
}

/// Returns a machine with one device and the given bytes of memory per stream.
fn machine_with_memory(device: usize, pinned: usize) -> Machine {
    Machine {
        limits: Bytes { device, pinned },
        devices: 1,
        multiprocessors: 1,
        most_items: usize::MAX,
        slots: STREAMS,
        direct: false,
    }
}

/// Plans each operation and option with 10^6 items, on large and small devices: chunks cover the
/// batch, fit the memory, and are not small if there is enough of it. A stream slot provides
/// exactly the memory counted here, and a chunk that took more would panic.
#[test]
fn a_million_items_of_every_operation_are_planned() {
    const ITEMS: usize = 1_000_000;
    const GIB: usize = 1 << 30;
    let mut operations = 0;
    let mut names = BTreeSet::new();
    each(ITEMS, &mut |name, operation| {
        operations += 1;
        names.insert(name.clone());
        for (memory, multiprocessors) in [(140 * GIB, 132), (8 * GIB, 20), (GIB, 108)] {
            let machine = Machine {
                multiprocessors,
                ..machine_with_memory(memory / 2 / STREAMS, usize::MAX)
            };
            let cuts = machine.cuts(operation);
            let mut start = 0;
            for &end in &cuts {
                let bytes = machine.bytes(operation, &(start..end));
                assert!(
                    bytes.fit(machine.limits),
                    "{name}: {bytes:?} for {} items",
                    end - start
                );
                start = end;
            }
            assert_eq!(start, operation.items());
            assert!(
                cuts.len() <= ITEMS / 20_000,
                "{name}: {} chunks with {memory} bytes",
                cuts.len()
            );
        }
        // The whole batch in one chunk, as when kernels are timed.
        let roomy = machine_with_memory(usize::MAX, usize::MAX);
        let all = 0..operation.items();
        let whole = roomy.bytes(operation, &all);
        assert!(
            whole.pinned >= 32 * ITEMS && whole.device >= whole.pinned / 2,
            "{name}: {whole:?}"
        );
        // Results that are written directly, at least a byte per item, take no pinned memory.
        let direct = Machine {
            direct: true,
            ..roomy
        }
        .bytes(operation, &all);
        assert_eq!(direct.device, whole.device, "{name}");
        assert!(
            direct.pinned + operation.items() <= whole.pinned,
            "{name}: {direct:?} {whole:?}"
        );
        // With little pinned memory, chunks are small, and the batch is computed nevertheless.
        assert!(
            machine_with_memory(GIB, 1 << 20).cuts(operation).len() >= whole.pinned >> 20,
            "{name}"
        );
    });
    assert!(
        operations >= 60 && names.len() == operations,
        "{operations} operations, {} names",
        names.len()
    );
}

/// The kernels that operations launch are compiled in advance, and no others.
#[test]
fn kernels_of_every_operation_are_made_ready() {
    let mut started = BTreeSet::new();
    each(1, &mut |_, operation| started.extend(operation.kernels().1));
    let ready: BTreeSet<&str> = Unit::all().map(|unit| unit.file).collect();
    assert_eq!(started, ready);
}
