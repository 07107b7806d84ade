//! `gecc pubkey`.

use crate::commands::stream::{self, Operation};
use crate::flags::PubkeyOptions;
use crate::input::fields::Fields;
use crate::output::{Answer, Failure};
use gecc::any::keys;
use gecc::{CurveId, Engine, Error, Point, SecretKey};

pub fn run(options: PubkeyOptions) -> Result<u8, Failure> {
    stream::run(&Pubkey { compressed: options.compressed, curve: options.curve }, options.stream)
}

struct Pubkey {
    compressed: bool,
    curve: CurveId,
}

impl Pubkey {
    fn answer(&self, key: Point) -> Answer {
        match key.to_compressed() {
            Some(compressed) if self.compressed => Answer::passed().hex("public_key", compressed),
            _ => Answer::passed().hex("public_key", key.as_sec1()),
        }
    }
}

impl Operation for Pubkey {
    type Item = SecretKey;
    const READS_KEYS: bool = true;

    fn parse(&self, _: u64, fields: &Fields) -> Result<SecretKey, String> {
        fields.secret_key()
    }

    fn compute(&self, engine: &Engine, items: Vec<SecretKey>) -> Result<Vec<Answer>, Error> {
        let keys = keys::public_keys(engine, self.curve, (&items).into(), items.len())?;
        Ok(keys.into_iter().map(|key| key.map_or_else(Answer::error, |key| self.answer(key))).collect())
    }
}
