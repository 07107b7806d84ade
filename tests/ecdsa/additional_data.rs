//! Additional data of nonces (RFC 6979, section 3.6): signatures have the nonces that the standard
//! prescribes.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::numbers::{edge_scalars, number, order, order_plus};
use crate::support::random::Random;
use crate::support::reference::{
    EcdsaReference, Scalar, TestCurve, bytes, encode, mul_base, reduced, scalar,
};
use crate::support::scheme::{concatenate, halves, recovery_id};
use elliptic_curve::{Curve, Field};
use gecc::ecdsa::{RecoverableSignature, SForm};
use gecc::{Engine, Error, P256, Rejection, Rows, Secp256k1, SecretKey, Signers, ecdsa, sm2};
use sha2::{Digest, Sha256, digest::block_api::BlockSizeUser};

const ITEMS: usize = 200;

type Signatures = Vec<Result<[u8; 64], Rejection>>;

/// Keys, digests and data: at the edges, and random ones.
pub struct Inputs {
    pub secrets: Vec<[u8; 32]>,
    pub keys: Vec<SecretKey>,
    pub digests: Vec<[u8; 32]>,
    pub data: Vec<[u8; 32]>,
}

impl Inputs {
    pub fn new<C: TestCurve>() -> Self {
        let mut random = Random::new();
        let last = number(&order_plus::<C>(0)) - 1u32;
        let usable = |scalar: &[u8; 32]| *scalar != [0; 32] && number(scalar) != last;
        let mut secrets: Vec<[u8; 32]> = edge_scalars::<C>().into_iter().filter(usable).collect();
        secrets.extend((0..ITEMS).map(|_| random.scalar_bytes::<C>()));
        let keys = secrets
            .iter()
            .map(|secret| SecretKey::from_bytes(*secret))
            .collect();
        let mut digests: Vec<[u8; 32]> = secrets.iter().map(|_| random.bytes()).collect();
        let mut data: Vec<[u8; 32]> = secrets.iter().map(|_| random.bytes()).collect();
        let edges = [[0; 32], [0xff; 32], order_plus::<C>(0), order_plus::<C>(1)];
        data.iter_mut()
            .zip(edges)
            .for_each(|(data, edge)| *data = edge);
        digests
            .iter_mut()
            .step_by(3)
            .zip(edges)
            .for_each(|(digest, edge)| *digest = edge);
        Inputs {
            secrets,
            keys,
            digests,
            data,
        }
    }
}

/// The first nonce.
pub fn nonce<C: TestCurve, H: Digest + BlockSizeUser>(
    secret: &[u8; 32],
    digest: &[u8; 32],
    data: &[u8],
) -> Scalar<C> {
    let order = <C::Theirs as Curve>::ORDER;
    let mut nonce = [0; 32];
    rfc6979::KGenerator::<H, _>::new(secret, digest, data, order.as_ref()).fill_next_k(&mut nonce);
    scalar::<C>(&nonce).expect("a nonce is below n")
}

/// SEC 1, section 4.1.3.
fn ecdsa_signature<C: TestCurve>(
    secret: &[u8; 32],
    digest: &[u8; 32],
    data: &[u8],
) -> ([u8; 64], u8) {
    ecdsa_signature_by::<C, Sha256>(secret, digest, data)
}

/// An ECDSA signature with the nonces of another hash.
pub fn ecdsa_signature_by<C: TestCurve, H: Digest + BlockSizeUser>(
    secret: &[u8; 32],
    digest: &[u8; 32],
    data: &[u8],
) -> ([u8; 64], u8) {
    let k = nonce::<C, H>(secret, digest, data);
    let d = scalar::<C>(secret).expect("a key is below n");
    let point = encode::<C>(&mul_base::<C>(&k));
    let r = reduced::<C>(point.x());
    let s = Field::invert(&k).expect("a nonce is not 0") * (reduced::<C>(digest) + r * d);
    (
        concatenate(&bytes::<C>(&r), &bytes::<C>(&s)),
        recovery_id::<C>(&point),
    )
}

/// An engine on the same devices that checks signatures.
pub fn checking(engine: &Engine) -> Engine {
    Engine::builder()
        .backend(engine.info().backend)
        .check_signatures(true)
        .build()
        .unwrap()
}

/// ECDSA by every call, with data for each item.
#[apply(on_every_engine)]
fn data_of_each_item_determines_its_nonce(engine: &Engine) {
    each_ecdsa_curve!(ecdsa_on(engine));
}

fn ecdsa_on<C: EcdsaReference>(engine: &Engine) {
    let Inputs {
        secrets,
        keys,
        digests,
        data,
    } = &Inputs::new::<C>();
    let signers = Signers::with_additional_data(keys, data);
    let form = SForm::AsComputed;
    let expected: Vec<_> = (0..keys.len())
        .map(|item| ecdsa_signature::<C>(&secrets[item], &digests[item], &data[item]))
        .collect();
    let parts = |signed: RecoverableSignature| (signed.signature, signed.recovery_id);
    for engine in [engine, &checking(engine)] {
        let signed = ecdsa::sign_recoverable(engine, C::ID, digests, signers, form).unwrap();
        assert!(
            signed
                .into_iter()
                .map(|signed| parts(signed.unwrap()))
                .eq(expected.iter().copied()),
            "{}",
            C::NAME
        );
        let signed = ecdsa::sign(engine, C::ID, digests, signers, form).unwrap();
        assert!(
            signed
                .into_iter()
                .map(Result::unwrap)
                .eq(expected.iter().map(|(signature, _)| *signature))
        );
    }
    let mut signed = vec![[0; 64]; keys.len()];
    let mut codes = vec![0; keys.len()];
    ecdsa::sign_into(
        engine,
        C::ID,
        digests,
        signers,
        form,
        &mut signed,
        &mut codes,
    )
    .unwrap();
    assert!(
        signed
            .iter()
            .eq(expected.iter().map(|(signature, _)| signature))
    );
    let of_messages = ecdsa::sign_messages(engine, C::ID, digests, signers, form).unwrap();
    for (item, signed) in of_messages.into_iter().enumerate().step_by(20) {
        let digest = Sha256::digest(digests[item]).into();
        assert_eq!(
            signed.unwrap(),
            ecdsa_signature::<C>(&secrets[item], &digest, &data[item]).0,
            "{}",
            C::NAME
        );
    }
}

/// One key and one row of data for all have the results of one per item; a row of zeros differs
/// from no data; keys out of range are rejected.
#[apply(on_every_engine)]
fn one_row_for_all_items_equals_one_per_item(engine: &Engine) {
    let Inputs {
        keys,
        digests,
        data,
        ..
    } = &Inputs::new::<P256>();
    let each_key = vec![keys[9].clone(); keys.len()];
    let each_data = vec![data[9]; keys.len()];
    let sign = |signers: Signers| {
        let of_p256 = ecdsa::sign(engine, P256, digests, signers, SForm::default()).unwrap();
        (of_p256, sm2::sign(engine, digests, signers).unwrap())
    };
    let expected = sign(Signers::with_additional_data(&each_key, &each_data));
    assert_eq!(
        sign(Signers::with_additional_data(&keys[9], Rows::all(&data[9]))),
        expected
    );
    assert_eq!(
        sign(Signers::with_additional_data(
            &each_key,
            Rows::all(&data[9])
        )),
        expected
    );
    assert_eq!(
        sign(Signers::with_additional_data(&keys[9], &each_data)),
        expected
    );
    let plain = sign((&keys[9]).into());
    let zeros = sign(Signers::with_additional_data(&keys[9], Rows::all(&[0; 32])));
    let all_differ = |a: &Signatures, b: &Signatures| {
        a.iter()
            .zip(b)
            .all(|(a, b)| a.as_ref().unwrap() != b.as_ref().unwrap())
    };
    for (a, b) in [(&plain, &zeros), (&plain, &expected), (&zeros, &expected)] {
        assert!(all_differ(&a.0, &b.0) && all_differ(&a.1, &b.1));
    }
    let outside = SecretKey::from_bytes([0xff; 32]);
    let (of_p256, of_sm2) = sign(Signers::with_additional_data(&outside, data));
    assert!(
        of_p256
            .iter()
            .chain(&of_sm2)
            .all(|signed| *signed == Err(Rejection::SecretKeyOutOfRange))
    );
}

/// The nonce of a signature as SEC 1 computes it: k = (e + r d) / s.
fn nonce_of<C: EcdsaReference>(
    engine: &Engine,
    digest: [u8; 32],
    secret: &[u8; 32],
    signers: Signers,
) -> [u8; 32] {
    let signed =
        ecdsa::sign(engine, C::ID, &[digest], signers, SForm::AsComputed).unwrap()[0].unwrap();
    let (r, s) = halves(&signed);
    let [r, s, d] = [&r, &s, secret].map(|number| scalar::<C>(number).expect("below n"));
    bytes::<C>(&((reduced::<C>(&digest) + r * d) * Field::invert(&s).expect("s is not 0")))
}

/// One key on two curves: the nonces of one digest are the same number, and with data of their own
/// they are not. Two equations in the key and that number would let two signatures reveal both.
#[apply(on_every_engine)]
fn data_separates_nonces_of_one_key_on_two_curves(engine: &Engine) {
    let mut random = Random::new();
    for _ in 0..5 {
        let secret = random.scalar_bytes::<P256>();
        let digest = random.bytes();
        // Below both orders, so that neither reduces it.
        if number(&digest) >= order::<P256>() {
            continue;
        }
        let key = SecretKey::from_bytes(secret);
        let with_data =
            |data: &'static [u8; 32]| Signers::with_additional_data(&key, Rows::all(data));
        let plain = Signers::from(&key);
        let of_koblitz = |signers| nonce_of::<Secp256k1>(engine, digest, &secret, signers);
        let of_nist = |signers| nonce_of::<P256>(engine, digest, &secret, signers);
        assert_eq!(of_koblitz(plain), of_nist(plain));
        let [on_koblitz, on_nist] = [with_data(&[1; 32]), with_data(&[2; 32])];
        assert_eq!(of_koblitz(on_koblitz), of_nist(on_koblitz));
        assert_ne!(of_koblitz(on_koblitz), of_nist(on_nist));
        assert_ne!(of_koblitz(on_koblitz), of_koblitz(plain));
    }
}

/// The number of rows must be that of items, or one.
#[apply(on_every_engine)]
fn wrong_number_of_rows_is_an_error(engine: &Engine) {
    let key = SecretKey::from_bytes([1; 32]);
    let digests = [[1; 32]; 2];
    let messages = ["a", "b"];
    for found in [0, 1, 3] {
        let data = vec![[7; 32]; found];
        let signers = Signers::with_additional_data(&key, &data);
        let problems = [
            ecdsa::sign(engine, P256, &digests, signers, SForm::Low).unwrap_err(),
            ecdsa::sign_messages(engine, P256, &messages, signers, SForm::Low).unwrap_err(),
            ecdsa::sign_recoverable(engine, P256, &digests, signers, SForm::Low).unwrap_err(),
            sm2::sign(engine, &digests, signers).unwrap_err(),
            sm2::sign_messages(engine, &messages, sm2::UserIds::default(), signers).unwrap_err(),
        ];
        for problem in problems {
            let Error::LengthMismatch {
                what,
                expected,
                found: counted,
            } = problem
            else {
                panic!("{problem}")
            };
            assert_eq!((what, expected, counted), ("additional data", 2, found));
        }
    }
}
