//! Additional data of nonces (RFC 6979, section 3.6).

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::additional_data::{Inputs, checking, nonce};
use crate::support::reference::{Scalar, bytes, encode, mul_base, reduced, scalar};
use crate::support::scheme::concatenate;
use elliptic_curve::Field;
use gecc::{Engine, Signers, Sm2, sm2};
use sha2::Digest;
use sm3::Sm3;

/// GB/T 32918.2, section 6.1.
fn sm2_signature(secret: &[u8; 32], digest: &[u8; 32], data: &[u8]) -> [u8; 64] {
    let k = nonce::<Sm2, Sm3>(secret, digest, data);
    let d = scalar::<Sm2>(secret).expect("a key is below n");
    let r = reduced::<Sm2>(digest) + reduced::<Sm2>(encode::<Sm2>(&mul_base::<Sm2>(&k)).x());
    let s = Field::invert(&(Scalar::<Sm2>::ONE + d)).expect("the key is not n - 1") * (k - r * d);
    concatenate(&bytes::<Sm2>(&r), &bytes::<Sm2>(&s))
}

/// SM2 by digests and by messages, with data for each item.
#[apply(on_every_engine)]
fn data_of_each_item_determines_its_nonce(engine: &Engine) {
    let Inputs {
        secrets,
        keys,
        digests,
        data,
    } = &Inputs::new::<Sm2>();
    let signers = Signers::with_additional_data(keys, data);
    for engine in [engine, &checking(engine)] {
        let signed = sm2::sign(engine, digests, signers).unwrap();
        for (item, signed) in signed.into_iter().enumerate() {
            assert_eq!(
                signed.unwrap(),
                sm2_signature(&secrets[item], &digests[item], &data[item]),
                "{item}"
            );
        }
    }
    let of_messages =
        sm2::sign_messages(engine, digests, sm2::UserIds::default(), signers).unwrap();
    let mut signed = vec![[0; 64]; keys.len()];
    let mut codes = vec![0; keys.len()];
    sm2::sign_messages_into(
        engine,
        digests,
        Default::default(),
        signers,
        &mut signed,
        &mut codes,
    )
    .unwrap();
    assert!(
        of_messages
            .iter()
            .map(|signed| signed.unwrap())
            .eq(signed.iter().copied())
    );
    for item in (0..keys.len()).step_by(20) {
        let public =
            crate::support::reference::public_key::<Sm2>(&secrets[item]).expect("in range");
        let za = sm2::za(sm2::DEFAULT_USER_ID, &public).unwrap();
        let digest = Sm3::new()
            .chain_update(za)
            .chain_update(digests[item])
            .finalize()
            .into();
        assert_eq!(
            signed[item],
            sm2_signature(&secrets[item], &digest, &data[item]),
            "{item}"
        );
    }
}
