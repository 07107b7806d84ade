//! `gecc recover`.

use crate::commands::stream::{self, Operation};
use crate::flags::RecoverOptions;
use crate::input::fields::Fields;
use crate::output::{Answer, Failure};
use gecc::{CurveId, Engine, Error, Rejection, any, ecdsa};

pub fn run(options: RecoverOptions) -> Result<u8, Failure> {
    let RecoverOptions { curve, addresses, stream } = options;
    if addresses && curve != CurveId::Secp256k1 {
        return Err("--addresses is for secp256k1, the curve of Ethereum's accounts".to_owned().into());
    }
    stream::run(&Recover { curve, addresses }, stream)
}

struct Recover {
    curve: CurveId,
    addresses: bool,
}

struct Item {
    digest: [u8; 32],
    signature: [u8; 64],
    recovery_id: u8,
}

impl Operation for Recover {
    type Item = Item;

    fn parse(&self, _: u64, fields: &Fields) -> Result<Item, String> {
        let digest = fields.content()?.sha256();
        Ok(Item { digest, signature: fields.signature()?, recovery_id: fields.recovery_id()? })
    }

    fn compute(&self, engine: &Engine, items: Vec<Item>) -> Result<Vec<Answer>, Error> {
        let digests: Vec<_> = items.iter().map(|item| item.digest).collect();
        let signatures: Vec<_> = items.iter().map(|item| item.signature).collect();
        let recovery_ids: Vec<_> = items.iter().map(|item| item.recovery_id).collect();
        if self.addresses {
            let addresses = ecdsa::recover_addresses(engine, &digests, &signatures, &recovery_ids)?;
            let text = |address: [u8; 20]| format!("0x{}", hex::encode(address));
            return Ok(answers(addresses, |address| Answer::passed().json("address", text(address))));
        }
        let keys = any::ecdsa::recover(engine, self.curve, &digests, &signatures, &recovery_ids)?;
        Ok(answers(keys, |key| Answer::passed().hex("public_key", key.as_sec1())))
    }
}

fn answers<T>(results: Vec<Result<T, Rejection>>, answer: impl Fn(T) -> Answer) -> Vec<Answer> {
    results.into_iter().map(|result| result.map_or_else(Answer::error, &answer)).collect()
}
