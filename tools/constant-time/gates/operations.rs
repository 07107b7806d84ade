//! Every operation on secrets, for the portable engine with one thread, observed by memcheck.

use super::each::{each_curve, each_ecdsa_curve};
use super::memcheck::{make_public, make_secret};
use gecc::bip340::{Auxiliary, SigningKeys};
use gecc::ecdsa::SForm;
use gecc::ed25519::Variant;
use gecc::edwards25519::Points;
use gecc::hash_to_curve::Suite;
use gecc::mask::{Form, Masked};
use gecc::modular::Numbers;
use gecc::oprf::{Mode, P256Sha256, Ristretto255Sha512};
use gecc::silent_payments::{Outputs, Receiver};
use gecc::x25519::AllZero;
use gecc::{Backend, Curve, EcdsaCurve, Engine, Error, Point, PublicKeys, Rejection, SecretKey};
use gecc::{
    Rows, Secp256k1, SecretKeys, Signers, bip340, ecdh, ecdsa, ed25519, edwards25519,
    hash_to_curve, keys, mask, modular, oprf, ristretto255, silent_payments, sm2, x25519,
};
use serde_json::Value;
use std::hint::black_box;

/// Items of a batch: each of its own key, or all of one.
const ITEMS: u8 = 3;
const MESSAGES: [&str; ITEMS as usize] = [
    "",
    "abc",
    "a message of more than one block of a hash function, sixty-four bytes",
];
const DIGESTS: [[u8; 32]; ITEMS as usize] = [[0x55; 32], [0xee; 32], [0; 32]];

fn engine(check_signatures: bool) -> Engine {
    let builder = Engine::builder()
        .backend(Backend::Cpu)
        .portable(true)
        .threads(1);
    builder
        .check_signatures(check_signatures)
        .build()
        .expect("a thread can be started")
}

fn keys_of(first: u8) -> Vec<SecretKey> {
    (0..ITEMS)
        .map(|item| SecretKey::from_bytes([first + 0x31 * item; 32]))
        .collect()
}

/// Does `operation` with public keys and then with secret ones, and compares.
///
/// The first time also builds whatever is built once.
fn with_secrets<S, R: Eq>(secrets: impl Fn() -> Vec<S>, operation: impl Fn(&[S]) -> Vec<R>) {
    let expected = operation(&secrets());
    let mut secrets = secrets();
    make_secret(&mut *secrets);
    let mut results = operation(&secrets);
    make_public(&mut *secrets);
    make_public(&mut *results);
    assert!(results == expected);
}

/// One key per item, and one for all.
fn with_keys<R: Eq>(operation: impl Fn(SecretKeys) -> Vec<R>) {
    with_secrets(|| keys_of(0x21), |keys| operation(keys.into()));
    with_secrets(
        || vec![SecretKey::from_bytes([0x42; 32])],
        |keys| operation((&keys[0]).into()),
    );
}

/// Returns the rows and codes that a call writes.
fn columns<const W: usize>(
    call: impl FnOnce(&mut [[u8; W]], &mut [u8]) -> Result<(), Error>,
) -> Vec<([u8; W], u8)> {
    let mut rows = [[0; W]; DIGESTS.len()];
    let mut codes = [0; DIGESTS.len()];
    call(&mut rows, &mut codes).unwrap();
    rows.into_iter().zip(codes).collect()
}

fn ecdsa<C: EcdsaCurve>(engine: &Engine) {
    for form in [SForm::CurveDefault, SForm::Low, SForm::AsComputed] {
        with_keys(|keys| ecdsa::sign(engine, C::ID, &DIGESTS, keys, form).unwrap());
        with_keys(|keys| {
            let signed = ecdsa::sign_recoverable(engine, C::ID, &DIGESTS, keys, form).unwrap();
            // Without the byte that fills the struct up, which is never written.
            signed
                .into_iter()
                .map(|item| item.map(|signed| (signed.signature, signed.recovery_id)))
                .collect()
        });
    }
    with_keys(|keys| {
        ecdsa::sign_messages(engine, C::ID, &MESSAGES, keys, SForm::CurveDefault).unwrap()
    });
    // As secret as keys.
    let keys = keys_of(0x21);
    with_secrets(
        || vec![[0x77; 32]; ITEMS.into()],
        |data: &[[u8; 32]]| {
            ecdsa::sign(
                engine,
                C::ID,
                &DIGESTS,
                Signers::with_additional_data(&keys, data),
                SForm::Low,
            )
            .unwrap()
        },
    );
    with_keys(|keys| {
        columns(|rows, codes| {
            ecdsa::sign_into(
                engine,
                C::ID,
                &DIGESTS,
                keys,
                SForm::CurveDefault,
                rows,
                codes,
            )
        })
    });
    with_keys(|keys| {
        columns(|rows, codes| {
            ecdsa::sign_messages_into(engine, C::ID, &MESSAGES, keys, SForm::Low, rows, codes)
        })
    });
    with_keys(|keys| {
        let mut ids = [0; DIGESTS.len()];
        let signed = columns(|rows, codes| {
            ecdsa::sign_recoverable_into(
                engine,
                C::ID,
                &DIGESTS,
                keys,
                SForm::Low,
                rows,
                &mut ids,
                codes,
            )
        });
        signed.into_iter().zip(ids).collect()
    });
}

fn sm2(engine: &Engine) {
    with_keys(|keys| sm2::sign(engine, &DIGESTS, keys).unwrap());
    with_keys(|keys| {
        sm2::sign(
            engine,
            &DIGESTS,
            Signers::with_additional_data(keys, Rows::all(&[0x77; 32])),
        )
        .unwrap()
    });
    with_keys(|keys| sm2::sign_messages(engine, &MESSAGES, sm2::UserIds::default(), keys).unwrap());
    with_keys(|keys| columns(|rows, codes| sm2::sign_into(engine, &DIGESTS, keys, rows, codes)));
    with_keys(|keys| {
        columns(|rows, codes| {
            sm2::sign_messages_into(engine, &MESSAGES, Default::default(), keys, rows, codes)
        })
    });
}

fn bip340(engine: &Engine) {
    let public: Vec<Point> = keys::public_keys(engine, Secp256k1, &keys_of(0x21))
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    with_keys(|keys| bip340::sign(engine, &DIGESTS, keys, Auxiliary::zeros()).unwrap());
    with_keys(|keys| {
        columns(|rows, codes| {
            bip340::sign_messages_into(engine, &MESSAGES, keys, Auxiliary::zeros(), rows, codes)
        })
    });
    with_secrets(
        || keys_of(0x21),
        |secrets| {
            bip340::sign(
                engine,
                &DIGESTS,
                SigningKeys::with_public(secrets, &public),
                Auxiliary::zeros(),
            )
            .unwrap()
        },
    );
    // Auxiliary data are secret too.
    let keys = keys_of(0x21);
    with_secrets(
        || vec![[0x77; 32]],
        |auxiliary| {
            bip340::sign(
                engine,
                &DIGESTS,
                &keys,
                Auxiliary::given(Rows::all(&auxiliary[0])),
            )
            .unwrap()
        },
    );
}

fn ed25519(engine: &Engine) {
    let variants = [
        Variant::PURE,
        Variant::prehashed(b"context").expect("it is short"),
    ];
    for variant in variants {
        with_keys(|keys| ed25519::sign(engine, &MESSAGES, keys, variant).unwrap());
        with_keys(|keys| {
            columns(|rows, codes| ed25519::sign_into(engine, &MESSAGES, keys, variant, rows, codes))
        });
    }
    with_secrets(
        || vec![[0x77; 64], [0x88; 64], [0xff; 64]],
        |hashes: &[[u8; 64]]| {
            let keys = ed25519::expand_hashed(engine, hashes).unwrap();
            ed25519::sign(
                engine,
                &MESSAGES,
                ed25519::SigningKeys::expanded(&keys),
                Variant::PURE,
            )
            .unwrap()
        },
    );
    with_secrets(
        || keys_of(0x21),
        |seeds| ed25519::public_keys(engine, seeds).unwrap(),
    );
}

fn x25519(engine: &Engine) {
    // The last one is a point of small order, so that secrets are zero.
    let peers = [[9; 32], [0xff; 32], [0; 32]];
    for all_zero in [AllZero::Reject, AllZero::Accept] {
        with_keys(|keys| {
            columns(|rows, codes| {
                let peers = PublicKeys::x25519(&peers);
                x25519::shared_secrets_into(engine, keys, peers, all_zero, rows, codes)
            })
        });
    }
    with_secrets(
        || keys_of(0x21),
        |keys| x25519::public_keys(engine, keys).unwrap(),
    );
}

/// Makes numbers, read as little-endian, smaller than the order of edwards25519's base point. They
/// stay below that of P-256.
fn below_order_of_edwards25519(keys: Vec<SecretKey>) -> Vec<SecretKey> {
    let below = |key: SecretKey| {
        let mut bytes = *key.expose_bytes();
        bytes[31] = 0x0f;
        SecretKey::from_bytes(bytes)
    };
    keys.into_iter().map(below).collect()
}

fn ristretto255(engine: &Engine) {
    let inputs = || numbers::<40>(0x21);
    // Elements are public.
    let elements = ristretto255::hash(engine, b"tag", &MESSAGES).unwrap();
    let scalars = || below_order_of_edwards25519(keys_of(0x21));
    with_secrets(scalars, |keys| {
        ristretto255::mul(engine, keys, &elements).unwrap()
    });
    with_secrets(scalars, |keys| {
        ristretto255::mul(engine, &keys[0], &elements).unwrap()
    });
    with_secrets(scalars, |keys| {
        columns(|rows, codes| ristretto255::mul_into(engine, keys, &elements, rows, codes))
    });
    with_secrets(scalars, |keys| {
        ristretto255::public_keys(engine, keys).unwrap()
    });
    with_secrets(scalars, |keys| {
        columns(|rows, codes| ristretto255::public_keys_into(engine, keys, rows, codes))
    });
    with_secrets(
        || vec![[0x55; 64], [0xee; 64], [0; 64]],
        |bytes: &[[u8; 64]]| ristretto255::from_uniform_bytes(engine, bytes).unwrap(),
    );
    with_secrets(inputs, |inputs: &[[u8; 40]]| {
        ristretto255::hash(engine, b"tag", inputs).unwrap()
    });
    with_secrets(scalars, |keys| {
        ristretto255::mask(engine, b"tag", keys, &MESSAGES).unwrap()
    });
    let key = &scalars()[0];
    with_secrets(inputs, |inputs: &[[u8; 40]]| {
        ristretto255::mask(engine, b"tag", key, inputs).unwrap()
    });
    with_secrets(scalars, |keys| {
        ristretto255::unmask(engine, keys, &elements).unwrap()
    });
}

/// Points are public.
fn edwards25519(engine: &Engine) {
    let scalars = || below_order_of_edwards25519(keys_of(0x21));
    let (_, points) = edwards25519::generate(engine, MESSAGES.len()).unwrap();
    let points = Points::canonical(&points);
    with_secrets(scalars, |keys| {
        edwards25519::mul(engine, keys, points).unwrap()
    });
    with_secrets(scalars, |keys| {
        edwards25519::mul(engine, &keys[0], points).unwrap()
    });
    with_secrets(scalars, |keys| {
        edwards25519::mul_cofactored(engine, keys, points).unwrap()
    });
    with_secrets(scalars, |keys| {
        columns(|rows, codes| {
            edwards25519::mul_cofactored_into(engine, &keys[0], points, rows, codes)
        })
    });
    with_secrets(scalars, |keys| {
        edwards25519::public_keys(engine, keys).unwrap()
    });
    with_secrets(
        || vec![[0x55; 64], [0xee; 64], [0; 64]],
        |numbers: &[[u8; 64]]| {
            let reduce = |wide: &[u8; 64]| {
                let narrow = wide.first_chunk().expect("32 bytes");
                [
                    edwards25519::reduce_wide(wide),
                    edwards25519::reduce(narrow),
                ]
            };
            let reduced = numbers.iter().flat_map(reduce);
            reduced.map(|key| *key.expose_bytes()).collect()
        },
    );
    for &suite in edwards25519::Suite::ALL {
        with_secrets(
            || numbers::<40>(0x21),
            |messages: &[[u8; 40]]| {
                edwards25519::hash_to_curve(engine, suite, b"tag", messages).unwrap()
            },
        );
    }
}

fn public_keys<C: Curve>(engine: &Engine) {
    with_secrets(
        || keys_of(0x21),
        |secrets| keys::public_keys(engine, C::ID, secrets).unwrap(),
    );
    with_keys(|keys| {
        columns(|rows, codes| keys::public_keys_into(engine, C::ID, keys, rows, codes))
    });
}

fn agreement<C: Curve>(engine: &Engine) {
    let peers: Vec<Point> = keys::public_keys(engine, C::ID, &keys_of(0x13))
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    let peers = PublicKeys::points(&peers);
    with_keys(|keys| {
        let points = ecdh::shared_points(engine, C::ID, keys, peers).unwrap();
        points
            .into_iter()
            .map(|item| item.map(|point| (*point.expose_x(), *point.expose_y())))
            .collect()
    });
    with_keys(|keys| {
        let secrets = ecdh::shared_secrets(engine, C::ID, keys, peers).unwrap();
        secrets
            .into_iter()
            .map(|item| item.map(|secret| *secret.expose_bytes()))
            .collect()
    });
    with_keys(|keys| {
        columns(|rows, codes| ecdh::shared_secrets_into(engine, C::ID, keys, peers, rows, codes))
    });
    with_keys(|keys| {
        columns(|rows, codes| ecdh::shared_points_into(engine, C::ID, keys, peers, rows, codes))
    });
}

/// The rows of masked points with their codes.
fn masked(masked: Result<Masked, Error>) -> Vec<u8> {
    let (mut rows, codes) = masked.unwrap().into_columns();
    rows.extend(codes);
    rows
}

fn masks<C: Curve>(engine: &Engine) {
    let points: Vec<Point> = keys::public_keys(engine, C::ID, &keys_of(0x13))
        .unwrap()
        .into_iter()
        .flatten()
        .collect();
    for form in [Form::Compressed, Form::Raw, Form::Truncated(9)] {
        with_keys(|keys| masked(mask::points(engine, C::ID, keys, &points, form)));
        with_keys(|keys| masked(mask::unmask(engine, C::ID, keys, &points, form)));
    }
}

/// Messages are secret if the suite is constant-time.
fn hashed_items(engine: &Engine, suite: Suite) {
    let dst: &[u8] = if suite.takes_dst() { b"tag" } else { b"" };
    with_keys(|keys| masked(mask::items(engine, suite, dst, keys, &MESSAGES, Form::X)));
    if suite.is_constant_time() {
        let messages = || numbers::<40>(0x21);
        let key = SecretKey::from_bytes([0x42; 32]);
        with_secrets(messages, |messages: &[[u8; 40]]| {
            hash_to_curve::points(engine, suite, dst, messages)
                .unwrap()
                .into_iter()
                .map(|point| point.map(|point| (*point.x(), *point.y())))
                .collect()
        });
        with_secrets(messages, |messages: &[[u8; 40]]| {
            masked(mask::items(engine, suite, dst, &key, messages, Form::Raw))
        });
    }
}

/// Nonces of proofs are drawn by the library, and therefore not marked as secret.
fn oblivious_functions<S: oprf::Suite>(engine: &Engine, suite: S) {
    const MODE: Mode = Mode::Voprf;
    let inputs = || numbers::<40>(0x21);
    let scalars = || below_order_of_edwards25519(keys_of(0x21));
    let key = || below_order_of_edwards25519(vec![SecretKey::from_bytes([0x42; 32])]);
    let blinds = below_order_of_edwards25519(keys_of(0x13));
    let blinded = oprf::blind_with(engine, suite, MODE, &inputs(), &blinds).unwrap();
    let elements = blinded.rows();
    let computed = |elements: Result<oprf::Elements<S>, Error>| {
        let elements = elements.unwrap();
        bytes(elements.rows(), elements.codes())
    };
    let outputs = |outputs: Result<oprf::Outputs<S>, Error>| {
        let outputs = outputs.unwrap();
        bytes(outputs.rows(), outputs.codes())
    };
    with_secrets(
        || vec![[0x42; 32]],
        |seed: &[[u8; 32]]| {
            let key = oprf::derive_key(suite, MODE, &seed[0], b"info").unwrap();
            vec![*key.expose_bytes()]
        },
    );
    with_secrets(scalars, |blinds: &[SecretKey]| {
        computed(oprf::blind_with(engine, suite, MODE, &MESSAGES, blinds))
    });
    with_secrets(scalars, |blinds: &[SecretKey]| {
        outputs(oprf::finalize(engine, suite, &MESSAGES, blinds, elements))
    });
    with_secrets(inputs, |inputs: &[[u8; 40]]| {
        computed(oprf::blind_with(engine, suite, MODE, inputs, &blinds))
    });
    with_secrets(inputs, |inputs: &[[u8; 40]]| {
        outputs(oprf::finalize(engine, suite, inputs, &blinds, elements))
    });
    let known = key();
    with_secrets(inputs, |inputs: &[[u8; 40]]| {
        outputs(oprf::evaluate_inputs(
            engine, suite, MODE, &known[0], inputs,
        ))
    });
    with_secrets(key, |key: &[SecretKey]| {
        outputs(oprf::evaluate_inputs(
            engine, suite, MODE, &key[0], &MESSAGES,
        ))
    });
    with_secrets(key, |key: &[SecretKey]| {
        computed(oprf::evaluate(engine, suite, &key[0], elements))
    });
    // Without the proof, which differs each time.
    with_secrets(key, |key: &[SecretKey]| {
        let (evaluated, _) = oprf::evaluate_with_proof(engine, suite, &key[0], elements).unwrap();
        bytes(&evaluated, &[])
    });
}

/// Concatenates rows and codes.
fn bytes<T: AsRef<[u8]>>(rows: &[T], codes: &[u8]) -> Vec<u8> {
    let rows = rows.iter().flat_map(|row| row.as_ref());
    rows.chain(codes).copied().collect()
}

/// Numbers below the modulus of all ones.
fn numbers<const BYTES: usize>(first: u8) -> Vec<[u8; BYTES]> {
    (0..ITEMS)
        .map(|item| [first + 0x31 * item; BYTES])
        .collect()
}

fn pairs_of<const LEFT: usize, const RIGHT: usize>() -> Vec<([u8; LEFT], [u8; RIGHT])> {
    numbers(0x21).into_iter().zip(numbers(0x13)).collect()
}

fn powers<const BYTES: usize, const EXPONENT: usize>(engine: &Engine) {
    with_secrets(
        pairs_of::<BYTES, EXPONENT>,
        |pairs: &[([u8; BYTES], [u8; EXPONENT])]| -> Numbers<BYTES> {
            let (bases, exponents): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            modular::modexp(engine, &[0xff; BYTES], &bases, &exponents).unwrap()
        },
    );
}

fn products<const BYTES: usize>(engine: &Engine) {
    with_secrets(
        pairs_of::<BYTES, BYTES>,
        |pairs: &[([u8; BYTES], [u8; BYTES])]| -> Vec<[Result<[u8; BYTES], Rejection>; 2]> {
            let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
            let products = modular::mul_mod(engine, &[0xff; BYTES], &a, &b).unwrap();
            let squares = modular::square_mod(engine, &[0xff; BYTES], &a).unwrap();
            products.into_iter().zip(squares).map(Into::into).collect()
        },
    );
}

fn public_point(engine: &Engine, key: [u8; 32]) -> Point {
    keys::public_keys(engine, Secp256k1, &[SecretKey::from_bytes(key)]).unwrap()[0].unwrap()
}

fn row<const BYTES: usize>(text: &Value) -> [u8; BYTES] {
    hex::decode(text.as_str().unwrap())
        .unwrap()
        .try_into()
        .unwrap()
}

/// Scans the vectors of BIP 352 with their receivers' keys.
fn scans(engine: &Engine) {
    let vectors = include_str!("../../../tests/vectors/bip352_send_and_receive_test_vectors.json");
    let cases: Vec<Value> = serde_json::from_str(vectors).unwrap();
    for case in cases
        .iter()
        .flat_map(|case| case["receiving"].as_array().unwrap())
    {
        let given = &case["given"];
        let expected = &case["expected"];
        // One case has thousands of outputs.
        if expected["tweak"].is_null() || !expected["n_outputs"].is_null() {
            continue;
        }
        let tweak_point: [u8; 33] = row(&expected["tweak"]);
        let spend_key = public_point(engine, row(&given["key_material"]["spend_priv_key"]));
        let labels: Vec<u32> = given["labels"]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label.as_u64().unwrap() as u32)
            .collect();
        let outputs: Vec<[u8; 32]> = given["outputs"]
            .as_array()
            .unwrap()
            .iter()
            .map(row)
            .collect();
        let offsets = [0, outputs.len() as u64];
        let found = expected["outputs"].as_array().map_or(0, Vec::len);
        with_secrets(
            || {
                vec![SecretKey::from_bytes(row(
                    &given["key_material"]["scan_priv_key"],
                ))]
            },
            |scan_key: &[SecretKey]| {
                let receiver =
                    [Receiver::new(scan_key[0].clone(), spend_key.as_sec1(), &labels).unwrap()];
                let outputs = Outputs::x_only(&offsets, &outputs).unwrap();
                let scan =
                    silent_payments::scan(engine, &receiver, &[tweak_point], outputs).unwrap();
                assert_eq!(scan.matches.len(), found);
                scan.matches
                    .iter()
                    .map(|found| (found.output, *found.tweak.expose_bytes()))
                    .collect()
            },
        );
    }
}

fn on_curve<C: Curve>(engine: &Engine) {
    public_keys::<C>(engine);
    agreement::<C>(engine);
    masks::<C>(engine);
}

/// Runs all operations.
pub fn all() {
    let plain = engine(false);
    each_curve!(on_curve(&plain));
    x25519(&plain);
    ristretto255(&plain);
    edwards25519(&plain);
    scans(&plain);
    for suite in Suite::ALL {
        hashed_items(&plain, *suite);
    }
    oblivious_functions(&plain, P256Sha256);
    oblivious_functions(&plain, Ristretto255Sha512);
    for engine in [&plain, &engine(true)] {
        each_ecdsa_curve!(ecdsa(engine));
        sm2(engine);
        bip340(engine);
        ed25519(engine);
    }
    powers::<128, 128>(&plain);
    powers::<192, 3>(&plain);
    powers::<256, 33>(&plain);
    products::<16>(&plain);
    products::<24>(&plain);
    products::<32>(&plain);
    products::<40>(&plain);
    products::<48>(&plain);
    products::<56>(&plain);
    products::<64>(&plain);
}

/// Leaks that must be reported: a branch on a secret byte, and a load from an address that depends
/// on a secret byte.
pub fn leak() {
    let mut secret = [0x5a_u8; 2];
    make_secret(&mut secret);
    let table: Vec<u64> = (0..256).collect();
    black_box(leaky_branch(secret[0]));
    black_box(leaky_load(&table, secret[1]));
}

#[inline(never)]
fn leaky_branch(secret: u8) -> u64 {
    if secret & 1 == 1 { black_box(1) } else { 2 }
}

#[inline(never)]
fn leaky_load(table: &[u64], secret: u8) -> u64 {
    table[usize::from(secret)]
}
