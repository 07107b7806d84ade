//! `gecc pubkey`.

use crate::commands::stream::{self, Operation};
use crate::curve::by_curve;
use crate::flags::PubkeyOptions;
use crate::input::fields::Fields;
use crate::output::{Answer, Failure};
use gecc::{Engine, Error, Point, SecretCurve, SecretKey, keys};
use std::marker::PhantomData;

pub fn run(options: PubkeyOptions) -> Result<u8, Failure> {
    let compressed = options.compressed;
    by_curve!(options.curve, C => stream::run(&Pubkey::<C> { compressed, curve: PhantomData }, options.stream))
}

struct Pubkey<C> {
    compressed: bool,
    curve: PhantomData<C>,
}

impl<C> Pubkey<C> {
    fn answer(&self, key: Point) -> Answer {
        match key.to_compressed() {
            Some(compressed) if self.compressed => Answer::passed().hex("public_key", compressed),
            _ => Answer::passed().hex("public_key", key.as_sec1()),
        }
    }
}

impl<C: SecretCurve> Operation for Pubkey<C> {
    type Item = SecretKey;
    const READS_KEYS: bool = true;

    fn parse(&self, _: u64, fields: &Fields) -> Result<SecretKey, String> {
        fields.secret_key()
    }

    fn compute(&self, engine: &Engine, items: Vec<SecretKey>) -> Result<Vec<Answer>, Error> {
        let keys = keys::public_keys::<C>(engine, &items)?;
        Ok(keys.into_iter().map(|key| key.map_or_else(Answer::error, |key| self.answer(key))).collect())
    }
}
