//! `gecc sign`.

use crate::commands::stream::{self, Operation};
use crate::commands::verify::{by_content, select, user_id};
use crate::curve::Scheme;
use crate::flags::SignOptions;
use crate::input::fields::{Content, Fields};
use crate::input::keyfile::KeyFile;
use crate::output::{Answer, Failure};
use gecc::ecdsa::{RecoverableSignature, SForm};
use gecc::{CurveId, Engine, Error, SecretKeys, any, signature_to_der, sm2};

pub fn run(mut options: SignOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let (curve, recoverable, der) = (options.curve, options.recoverable, options.der);
    let keys = || KeyFile::read(&options.key_file, options.stream.output.as_deref());
    match Scheme::of(curve) {
        Scheme::Ecdsa => stream::run(&Ecdsa { keys: keys()?, curve, recoverable, der }, options.stream),
        Scheme::Sm2 if recoverable => Err("--recoverable is for ECDSA; SM2 has no recovery id".to_owned().into()),
        Scheme::Sm2 => stream::run(&Sm2 { keys: keys()?, der }, options.stream),
    }
}

fn signature_answer(signature: &[u8; 64], der: bool) -> Answer {
    let answer = Answer::passed();
    if der { answer.hex("der", signature_to_der(signature)) } else { answer.hex("signature", signature) }
}

struct Ecdsa {
    keys: KeyFile,
    curve: CurveId,
    recoverable: bool,
    der: bool,
}

impl Ecdsa {
    fn answer(&self, signed: RecoverableSignature) -> Answer {
        let answer = signature_answer(&signed.signature, self.der);
        if self.recoverable { answer.json("recovery_id", signed.recovery_id) } else { answer }
    }
}

impl Operation for Ecdsa {
    /// The digest, and the number of the key.
    type Item = ([u8; 32], usize);

    fn parse(&self, index: u64, fields: &Fields) -> Result<Self::Item, String> {
        Ok((fields.content()?.sha256(), self.keys.number(index)?))
    }

    fn compute(&self, engine: &Engine, items: Vec<Self::Item>) -> Result<Vec<Answer>, Error> {
        let (digests, numbers): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        let sign =
            |keys: SecretKeys| any::ecdsa::sign_recoverable(engine, self.curve, &digests, keys, SForm::default());
        let signed = self.keys.with(&numbers, sign)?;
        Ok(signed.into_iter().map(|signed| signed.map_or_else(Answer::error, |signed| self.answer(signed))).collect())
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}

struct Sm2 {
    keys: KeyFile,
    der: bool,
}

struct Sm2Item {
    content: Content,
    id: Option<String>,
    /// The number of the key.
    key: usize,
}

impl Operation for Sm2 {
    type Item = Sm2Item;

    fn parse(&self, index: u64, fields: &Fields) -> Result<Sm2Item, String> {
        let (content, id) = fields.sm2_content()?;
        Ok(Sm2Item { content, id, key: self.keys.number(index)? })
    }

    fn compute(&self, engine: &Engine, items: Vec<Sm2Item>) -> Result<Vec<Answer>, Error> {
        let numbers: Vec<_> = items.iter().map(|item| item.key).collect();
        let ids: Vec<_> = items.iter().map(|item| user_id(item.id.as_deref())).collect();
        let signed = by_content(
            items.iter().map(|item| &item.content),
            |places, digests| self.keys.with(&select(places, &numbers), |keys| sm2::sign(engine, digests, keys)),
            |places, messages| {
                let ids = select(places, &ids);
                let ids = sm2::UserIds::each(&ids);
                let sign = |keys: SecretKeys| sm2::sign_messages(engine, messages, ids, keys);
                self.keys.with(&select(places, &numbers), sign)
            },
        )?;
        let answer = |signature: [u8; 64]| signature_answer(&signature, self.der);
        Ok(signed.into_iter().map(|signature| signature.map_or_else(Answer::error, answer)).collect())
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}
