//! Types that hold a secret print nothing of it, and no error or rejection carries one.

use crate::declare::{apply, on_every_engine};
use crate::support::numbers::order_plus;
use gecc::call::Options;
use gecc::ecdsa::SForm;
use gecc::{
    Engine, P256, PublicKeys, Rejection, SecretKey, SecretKeys, Sm2, ecdh, ecdsa, keys, sm2,
};

/// A recognisable secret, and the ways in which it could show.
const BYTE: u8 = 0xa7;
const TRACES: [&str; 4] = ["a7", "A7", "167", "xa7"];

#[track_caller]
fn hides(text: &str) {
    assert!(
        TRACES.iter().all(|trace| !text.contains(trace)),
        "a secret shows in {text:?}"
    );
}

#[apply(on_every_engine)]
fn debug_output_hides_secrets(engine: &Engine) {
    let key = SecretKey::from_bytes([BYTE; 32]);
    assert_eq!(format!("{key:?}"), "SecretKey(..)");
    assert_eq!(format!("{key:#?}"), "SecretKey(..)");
    let keys = [key.clone(), key.clone()];
    hides(&format!(
        "{keys:?} {:?} {:?}",
        SecretKeys::each(&keys),
        SecretKeys::all(&key)
    ));
    let options = Options {
        additional: Some([BYTE; 32]),
        ..Options::default()
    };
    hides(&format!("{options:?} {options:#?}"));

    let peer =
        keys::public_keys(engine, P256, &[SecretKey::from_bytes([1; 32])]).unwrap()[0].unwrap();
    let shared = ecdh::shared_secrets(engine, P256, &key, PublicKeys::points(&[peer])).unwrap();
    assert_eq!(format!("{shared:?}"), "[Ok(SharedSecret(..))]");
    let exposed = hex::encode(shared[0].as_ref().unwrap().expose_bytes());
    assert!(!format!("{shared:#?}").contains(&exposed[..8]));
    let shared = ecdh::shared_points(engine, P256, &key, PublicKeys::points(&[peer])).unwrap();
    assert_eq!(format!("{shared:?}"), "[Ok(SharedPoint(..))]");
}

#[apply(on_every_engine)]
fn errors_hide_secrets(engine: &Engine) {
    // Out of range for every curve, and recognisable.
    let mut bytes = [0xff; 32];
    bytes[16..].fill(BYTE);
    let key = SecretKey::from_bytes(bytes);
    let keys = [key.clone()];
    let errors = [
        ecdsa::sign(engine, P256, &[], &keys, SForm::Low).unwrap_err(),
        sm2::sign(engine, &[], &keys).unwrap_err(),
        ecdh::shared_points(engine, P256, &keys, PublicKeys::points(&[])).unwrap_err(),
    ];
    errors
        .iter()
        .for_each(|error| hides(&format!("{error} {error:?}")));
    let rejections = [
        ecdsa::sign(engine, P256, &[[1; 32]], &key, SForm::Low).unwrap()[0].unwrap_err(),
        sm2::sign(engine, &[[1; 32]], &key).unwrap()[0].unwrap_err(),
        keys::public_keys(engine, Sm2, &keys).unwrap()[0].unwrap_err(),
        p256::SecretKey::try_from(&SecretKey::from_bytes(order_plus::<P256>(0))).unwrap_err(),
    ];
    for rejection in rejections {
        assert_eq!(rejection, Rejection::SecretKeyOutOfRange);
        hides(&format!("{rejection} {rejection:?}"));
    }
}
