//! `gecc ecdh`.

use crate::commands::stream::{self, Operation};
use crate::flags::EcdhOptions;
use crate::input::fields::Fields;
use crate::input::keyfile::KeyFile;
use crate::output::{Answer, Failure};
use gecc::any::ecdh;
use gecc::{CurveId, Engine, Error, PublicKeys, SecretKeys, SharedSecret};

pub fn run(options: EcdhOptions) -> Result<u8, Failure> {
    let keys = KeyFile::read(&options.key_file, options.stream.output.as_deref())?;
    stream::run(&Ecdh { keys, curve: options.curve }, options.stream)
}

struct Ecdh {
    keys: KeyFile,
    curve: CurveId,
}

impl Operation for Ecdh {
    /// The number of the key, and the peer.
    type Item = (usize, Vec<u8>);
    const GIVES_SECRETS: bool = true;

    fn parse(&self, index: u64, fields: &Fields) -> Result<Self::Item, String> {
        Ok((self.keys.number(index)?, fields.public_key()?))
    }

    fn compute(&self, engine: &Engine, items: Vec<Self::Item>) -> Result<Vec<Answer>, Error> {
        let peers: Vec<_> = items.iter().map(|(_, peer)| peer.as_slice()).collect();
        let numbers: Vec<_> = items.iter().map(|(number, _)| *number).collect();
        let agree = |keys: SecretKeys| ecdh::shared_secrets(engine, self.curve, keys, PublicKeys::sec1(&peers));
        let secrets = self.keys.with(&numbers, agree)?;
        let answer = |secret: &SharedSecret| Answer::passed().hex("shared_secret", secret.expose_bytes());
        // Secrets that were moved out of their vector would stay behind in it.
        Ok(secrets.iter().map(|secret| secret.as_ref().map_or_else(Answer::error, answer)).collect())
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}
