//! `gecc ecdh`.

use crate::commands::stream::{self, Operation};
use crate::curve::by_curve;
use crate::flags::EcdhOptions;
use crate::input::fields::Fields;
use crate::input::keyfile::KeyFile;
use crate::output::{Answer, Failure};
use gecc::{Engine, Error, PublicKeys, SecretCurve, SharedSecret, ecdh};
use std::marker::PhantomData;

pub fn run(options: EcdhOptions) -> Result<u8, Failure> {
    let keys = KeyFile::read(&options.key_file, options.stream.output.as_deref())?;
    by_curve!(options.curve, C => stream::run(&Ecdh::<C>(keys, PhantomData), options.stream))
}

struct Ecdh<C>(KeyFile, PhantomData<C>);

impl<C: SecretCurve> Operation for Ecdh<C> {
    /// The number of the key, and the peer.
    type Item = (usize, Vec<u8>);
    const GIVES_SECRETS: bool = true;

    fn parse(&self, index: u64, fields: &Fields) -> Result<Self::Item, String> {
        Ok((self.0.number(index)?, fields.public_key()?))
    }

    fn compute(&self, engine: &Engine, items: Vec<Self::Item>) -> Result<Vec<Answer>, Error> {
        let peers: Vec<_> = items.iter().map(|(_, peer)| peer.as_slice()).collect();
        let numbers: Vec<_> = items.iter().map(|(number, _)| *number).collect();
        let secrets =
            self.0.with(&numbers, |keys| ecdh::shared_secrets::<C>(engine, keys, PublicKeys::sec1(&peers)))?;
        let answer = |secret: &SharedSecret| Answer::passed().hex("shared_secret", secret.expose_bytes());
        // Secrets that were moved out of their vector would stay behind in it.
        Ok(secrets.iter().map(|secret| secret.as_ref().map_or_else(Answer::error, answer)).collect())
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.0.surplus(items)
    }
}
