//! Batches of every size around the sizes at which engines cut batches, share inversions or change
//! tables.

use crate::declare::{apply, on_every_engine};
use crate::ecdsa::recover::recover;
use crate::support::batch_sizes::{SIZES, is_corrupted, largest_signatures, sizes, verify_sizes};
use crate::support::each::{each_ecdsa, each_ecdsa_curve};
use crate::support::random::Random;
use crate::support::reference::EcdsaReference;
use crate::support::scheme::{Ecdsa, Item, Signed, signed};
use gecc::ecdsa;
use gecc::ecdsa::SForm;
use gecc::{Engine, Rejection, SecretKey};

#[apply(on_every_engine)]
fn every_size_is_verified_and_recovered<C: EcdsaReference>(engine: &Engine) {
    verify_sizes::<Ecdsa<C>>(engine);
    recover_sizes::<C>(engine);
}

fn recover_sizes<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let items = signed::<Ecdsa<C>>(&mut random, 2049, 2049);
    sizes().for_each(|size| recover_size::<C>(engine, &items[..size]));
}

fn recover_size<C: EcdsaReference>(engine: &Engine, items: &[Signed]) {
    let size = items.len();
    let id = |(index, signed): (usize, &Signed)| {
        if is_corrupted(index, size) {
            4
        } else {
            signed.recovery_id
        }
    };
    let batch: Vec<(Item, u8)> = items
        .iter()
        .map(|signed| signed.item.clone())
        .zip(items.iter().enumerate().map(id))
        .collect();
    let recovered = recover::<C>(engine, &batch);
    assert_eq!(recovered.len(), size);
    for (index, (recovered, signed)) in recovered.into_iter().zip(items).enumerate() {
        let expected = if is_corrupted(index, size) {
            Err(Rejection::RecoveryIdOutOfRange)
        } else {
            Ok(signed.key)
        };
        assert_eq!(recovered, expected, "{}: item {index} of {size}", C::NAME);
    }
}

/// The reference takes longest here.
#[apply(on_every_engine)]
fn every_size_is_signed(engine: &Engine) {
    each_ecdsa_curve!(sign_sizes(engine));
}

fn sign_sizes<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let secret = random.scalar_bytes::<C>();
    let digests: Vec<[u8; 32]> = (0..257).map(|_| random.bytes()).collect();
    let expected: Vec<_> = digests
        .iter()
        .map(|digest| Ok(C::sign(&secret, digest).unwrap().0))
        .collect();
    for size in SIZES.into_iter().filter(|size| *size <= 257) {
        let signed = ecdsa::sign(
            engine,
            C::ID,
            &digests[..size],
            &SecretKey::from_bytes(secret),
            SForm::default(),
        )
        .unwrap();
        assert_eq!(signed, expected[..size], "{}: {size} signatures", C::NAME);
    }
}

#[apply(on_every_engine)]
fn sizes_around_65536_are_verified(engine: &Engine) {
    each_ecdsa!(largest_signatures(engine));
}
