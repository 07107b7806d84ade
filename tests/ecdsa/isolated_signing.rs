//! Signing with keys out of range among good ones.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::reference::EcdsaReference;
use crate::support::secret_keys::sign_all;
use gecc::ecdsa::SForm;
use gecc::{Engine, ecdsa};

#[apply(on_every_engine)]
fn bad_keys_reject_only_their_items(engine: &Engine) {
    each_ecdsa_curve!(sign_ecdsa(engine));
}

fn sign_ecdsa<C: EcdsaReference>(engine: &Engine) {
    let reference = |secret: &[u8; 32], digest: &[u8; 32]| {
        C::sign(secret, digest).map(|(signature, _)| signature)
    };
    sign_all::<C>(&[], reference, |keys, digests| {
        ecdsa::sign(engine, C::ID, digests, keys, SForm::default()).unwrap()
    });
}
