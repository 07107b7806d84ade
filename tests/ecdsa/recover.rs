//! Key recovery against the reference, for every recovery id.

use crate::declare::{apply, on_every_engine};
use crate::support::each::each_ecdsa_curve;
use crate::support::mutation::mutated;
use crate::support::random::Random;
use crate::support::reference::EcdsaReference;
use crate::support::scheme::{Ecdsa, Item, signed};
use gecc::ecdsa::Address;
use gecc::{Engine, Point, Rejection, Secp256k1, ecdsa};
use sha3::{Digest, Keccak256};

const ITEMS: usize = 400;

pub fn recover<C: EcdsaReference>(
    engine: &Engine,
    items: &[(Item, u8)],
) -> Vec<Result<Point, Rejection>> {
    let digests: Vec<_> = items.iter().map(|(item, _)| item.digest).collect();
    let signatures: Vec<_> = items.iter().map(|(item, _)| item.signature).collect();
    let ids: Vec<u8> = items.iter().map(|(_, id)| *id).collect();
    ecdsa::recover(engine, C::ID, &digests, &signatures, &ids).expect("lengths agree")
}

/// The signer's key for the right id, and the reference's answer for every id of valid and mutated
/// signatures.
#[apply(on_every_engine)]
fn mutated_signatures_with_any_id_match_reference(engine: &Engine) {
    each_ecdsa_curve!(compare(engine));
}

fn compare<C: EcdsaReference>(engine: &Engine) {
    let mut random = Random::new();
    let valid = signed::<Ecdsa<C>>(&mut random, ITEMS, ITEMS);
    let items: Vec<(Item, u8)> = valid
        .iter()
        .map(|signed| (signed.item.clone(), signed.recovery_id))
        .collect();
    for (signed, recovered) in valid.iter().zip(recover::<C>(engine, &items)) {
        assert_eq!(recovered, Ok(signed.key), "{}", C::NAME);
    }
    let items: Vec<(Item, u8)> = mutated::<Ecdsa<C>>(&mut random, ITEMS)
        .into_iter()
        .flat_map(|item| (0..=3).map(move |id| (item.clone(), id)))
        .collect();
    for ((item, id), recovered) in items.iter().zip(recover::<C>(engine, &items)) {
        let expected = C::recover(&item.digest, &item.signature, *id);
        assert_eq!(
            recovered.ok(),
            expected,
            "{} id {id} {item:02x?}: {recovered:?}",
            C::NAME
        );
    }
}

/// The address of an account: the last 20 bytes of the Keccak-256 of its key.
pub fn address_of(key: &Point) -> Address {
    Keccak256::digest(&key.as_bytes()[1..])[12..]
        .try_into()
        .expect("20 bytes")
}

pub fn recover_addresses(engine: &Engine, items: &[(Item, u8)]) -> Vec<Result<Address, Rejection>> {
    let digests: Vec<_> = items.iter().map(|(item, _)| item.digest).collect();
    let signatures: Vec<_> = items.iter().map(|(item, _)| item.signature).collect();
    let ids: Vec<u8> = items.iter().map(|(_, id)| *id).collect();
    ecdsa::recover_addresses(engine, &digests, &signatures, &ids).expect("lengths agree")
}

/// The addresses of the signers, and for every id of valid and mutated signatures those of the keys
/// that `recover` returns.
#[apply(on_every_engine)]
fn addresses_are_those_of_the_recovered_keys(engine: &Engine) {
    let mut random = Random::new();
    let valid = signed::<Ecdsa<Secp256k1>>(&mut random, ITEMS, ITEMS);
    let items: Vec<(Item, u8)> = valid
        .iter()
        .map(|signed| (signed.item.clone(), signed.recovery_id))
        .collect();
    for (signed, recovered) in valid.iter().zip(recover_addresses(engine, &items)) {
        assert_eq!(recovered, Ok(address_of(&signed.key)));
    }
    let items = mutated::<Ecdsa<Secp256k1>>(&mut random, ITEMS)
        .into_iter()
        .flat_map(|item| (0..=4).map(move |id| (item.clone(), id)))
        .collect::<Vec<_>>();
    let keys = recover::<Secp256k1>(engine, &items);
    assert!(keys.iter().any(Result::is_ok) && keys.iter().any(Result::is_err));
    let expected: Vec<_> = keys
        .iter()
        .map(|key| key.as_ref().map(address_of).map_err(|reason| *reason))
        .collect();
    assert_eq!(recover_addresses(engine, &items), expected);
}

/// Every id above 3 is rejected, also those that are valid modulo 4 or after Ethereum's offset of
/// 27.
#[apply(on_every_engine)]
fn ids_above_3_are_rejected(engine: &Engine) {
    let mut random = Random::new();
    let item = signed::<Ecdsa<Secp256k1>>(&mut random, 1, 1).remove(0);
    let items: Vec<(Item, u8)> = (0..=255).map(|id| (item.item.clone(), id)).collect();
    for (id, recovered) in recover::<Secp256k1>(engine, &items).into_iter().enumerate() {
        assert_eq!(
            recovered == Err(Rejection::RecoveryIdOutOfRange),
            id > 3,
            "id {id}"
        );
        assert_eq!(
            recovered == Ok(item.key),
            id == usize::from(item.recovery_id),
            "id {id}"
        );
    }
}
