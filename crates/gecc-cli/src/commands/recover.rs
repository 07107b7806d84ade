//! `gecc recover`.

use crate::commands::stream::{self, Operation};
use crate::curve::{CurveName, by_scheme};
use crate::flags::RecoverOptions;
use crate::input::fields::Fields;
use crate::output::{Answer, Failure};
use gecc::{EcdsaCurve, Engine, Error, Rejection, ecdsa};

pub fn run(options: RecoverOptions) -> Result<u8, Failure> {
    let compute: Compute = match options.curve {
        CurveName::Secp256k1 if options.addresses => addresses,
        _ if options.addresses => {
            return Err("--addresses is for secp256k1, the curve of Ethereum's accounts".to_owned().into());
        }
        curve => by_scheme!(
            curve,
            Ecdsa<C> => keys::<C>,
            Sm2 => return Err("SM2 has no recovery id".to_owned().into()),
        ),
    };
    stream::run(&Recover(compute), options.stream)
}

/// Recovers and answers: digests, signatures, recovery ids.
type Compute = fn(&Engine, &[[u8; 32]], &[[u8; 64]], &[u8]) -> Result<Vec<Answer>, Error>;

struct Recover(Compute);

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
        self.0(engine, &digests, &signatures, &recovery_ids)
    }
}

fn keys<C: EcdsaCurve>(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Vec<Answer>, Error> {
    let keys = ecdsa::recover::<C>(engine, digests, signatures, recovery_ids)?;
    Ok(answers(keys, |key| Answer::passed().hex("public_key", key.as_sec1())))
}

fn addresses(
    engine: &Engine,
    digests: &[[u8; 32]],
    signatures: &[[u8; 64]],
    recovery_ids: &[u8],
) -> Result<Vec<Answer>, Error> {
    let addresses = ecdsa::recover_addresses(engine, digests, signatures, recovery_ids)?;
    Ok(answers(addresses, |address| Answer::passed().json("address", format!("0x{}", hex::encode(address)))))
}

fn answers<T>(results: Vec<Result<T, Rejection>>, answer: impl Fn(T) -> Answer) -> Vec<Answer> {
    results.into_iter().map(|result| result.map_or_else(Answer::error, &answer)).collect()
}
