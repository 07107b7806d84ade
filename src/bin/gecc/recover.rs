//! `gecc recover`.

use crate::args::{EcdsaCurveName, RecoverOptions};
use crate::fields::Fields;
use crate::output::{Answer, Failure};
use crate::stream::{self, Operation};
use gecc::{EcdsaCurve, Engine, Error, P256, Secp256k1, ecdsa};
use std::marker::PhantomData;

pub fn run(options: RecoverOptions) -> Result<u8, Failure> {
    match options.curve {
        EcdsaCurveName::Secp256k1 => stream::run(&Recover::<Secp256k1>(PhantomData), options.stream),
        EcdsaCurveName::P256 => stream::run(&Recover::<P256>(PhantomData), options.stream),
    }
}

struct Recover<C>(PhantomData<C>);

struct Item {
    digest: [u8; 32],
    signature: [u8; 64],
    recovery_id: u8,
}

impl<C: EcdsaCurve> Operation for Recover<C> {
    type Item = Item;

    fn parse(&self, _: u64, fields: &Fields) -> Result<Item, String> {
        let digest = fields.content()?.sha256();
        Ok(Item { digest, signature: fields.signature()?, recovery_id: fields.recovery_id()? })
    }

    fn compute(&self, engine: &Engine, items: Vec<Item>) -> Result<Vec<Answer>, Error> {
        let digests: Vec<_> = items.iter().map(|item| item.digest).collect();
        let signatures: Vec<_> = items.iter().map(|item| item.signature).collect();
        let recovery_ids: Vec<_> = items.iter().map(|item| item.recovery_id).collect();
        let keys = ecdsa::recover::<C>(engine, &digests, &signatures, &recovery_ids)?;
        let answer = |key: gecc::Point| Answer::passed().hex("public_key", key.as_sec1());
        Ok(keys.into_iter().map(|key| key.map_or_else(Answer::error, answer)).collect())
    }
}
