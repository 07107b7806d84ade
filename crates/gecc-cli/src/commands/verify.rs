//! `gecc verify`.

use crate::commands::stream::{self, Operation};
use crate::curve::Scheme;
use crate::flags::VerifyOptions;
use crate::input::fields::{Content, Fields};
use crate::output::{Answer, Failure};
use gecc::ecdsa::Policy;
use gecc::{CurveId, Engine, Error, PublicKeys, Verdict, any, sm2};

pub fn run(options: VerifyOptions) -> Result<u8, Failure> {
    let VerifyOptions { curve, low_s, stream } = options;
    let policy = if low_s { Policy::low_s() } else { Policy::default() };
    match Scheme::of(curve) {
        Scheme::Ecdsa => stream::run(&Ecdsa { curve, policy }, stream),
        Scheme::Sm2 if low_s => Err("--low-s does not exist for SM2: n - s is no signature".to_owned().into()),
        Scheme::Sm2 => stream::run(&Sm2, stream),
    }
}

fn answer(verdict: Verdict) -> Answer {
    match verdict {
        Verdict::Valid => Answer::passed().json("valid", true),
        Verdict::Rejected(reason) => rejected(reason.to_string()),
    }
}

fn rejected(reason: String) -> Answer {
    Answer::rejected().json("valid", false).json("reason", reason)
}

struct Ecdsa {
    curve: CurveId,
    policy: Policy,
}

struct EcdsaItem {
    digest: [u8; 32],
    signature: [u8; 64],
    key: Vec<u8>,
}

impl Operation for Ecdsa {
    type Item = EcdsaItem;

    fn parse(&self, _: u64, fields: &Fields) -> Result<EcdsaItem, String> {
        let digest = fields.content()?.sha256();
        Ok(EcdsaItem { digest, signature: fields.signature()?, key: fields.public_key()? })
    }

    fn compute(&self, engine: &Engine, items: Vec<EcdsaItem>) -> Result<Vec<Answer>, Error> {
        let digests: Vec<_> = items.iter().map(|item| item.digest).collect();
        let signatures: Vec<_> = items.iter().map(|item| item.signature).collect();
        let keys: Vec<_> = items.iter().map(|item| item.key.as_slice()).collect();
        let keys = PublicKeys::sec1(&keys);
        let verdicts = any::ecdsa::verify(engine, self.curve, &digests, &signatures, keys, self.policy)?;
        Ok(verdicts.into_iter().map(answer).collect())
    }

    fn unusable(&self, reason: String) -> Answer {
        rejected(reason)
    }
}

struct Sm2;

struct Sm2Item {
    content: Content,
    id: Option<String>,
    signature: [u8; 64],
    key: Vec<u8>,
}

impl Operation for Sm2 {
    type Item = Sm2Item;

    fn parse(&self, _: u64, fields: &Fields) -> Result<Sm2Item, String> {
        let (content, id) = fields.sm2_content()?;
        Ok(Sm2Item { content, id, signature: fields.signature()?, key: fields.public_key()? })
    }

    fn compute(&self, engine: &Engine, items: Vec<Sm2Item>) -> Result<Vec<Answer>, Error> {
        let signatures: Vec<_> = items.iter().map(|item| item.signature).collect();
        let keys: Vec<_> = items.iter().map(|item| item.key.as_slice()).collect();
        let ids: Vec<_> = items.iter().map(|item| user_id(item.id.as_deref())).collect();
        let verdicts = by_content(
            items.iter().map(|item| &item.content),
            |places, digests| {
                let keys = select(places, &keys);
                sm2::verify(engine, digests, &select(places, &signatures), PublicKeys::sec1(&keys))
            },
            |places, messages| {
                let (keys, ids) = (select(places, &keys), select(places, &ids));
                let ids = sm2::UserIds::each(&ids);
                sm2::verify_messages(engine, messages, ids, &select(places, &signatures), PublicKeys::sec1(&keys))
            },
        )?;
        Ok(verdicts.into_iter().map(answer).collect())
    }

    fn unusable(&self, reason: String) -> Answer {
        rejected(reason)
    }
}

/// The SM2 user id of an item: its own, or the standard's.
pub fn user_id(id: Option<&str>) -> &[u8] {
    id.map_or(sm2::DEFAULT_USER_ID, str::as_bytes)
}

/// The entries at the given places.
pub fn select<T: Clone>(places: &[usize], values: &[T]) -> Vec<T> {
    places.iter().map(|&place| values[place].clone()).collect()
}

/// Runs one call over the items that are digests and one over those that are messages, and merges the results in order.
pub fn by_content<'a, T, R: IntoIterator<Item = T>>(
    contents: impl Iterator<Item = &'a Content>,
    of_digests: impl FnOnce(&[usize], &[[u8; 32]]) -> Result<R, Error>,
    of_messages: impl FnOnce(&[usize], &[&[u8]]) -> Result<R, Error>,
) -> Result<Vec<T>, Error> {
    let (mut digests, mut messages) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    for (place, content) in contents.enumerate() {
        match content {
            Content::Digest(digest) => {
                digests.0.push(place);
                digests.1.push(*digest);
            }
            Content::Message(message) => {
                messages.0.push(place);
                messages.1.push(message.as_slice());
            }
        }
    }
    let of_digests = of_digests(&digests.0, &digests.1)?;
    let of_messages = of_messages(&messages.0, &messages.1)?;
    let mut results: Vec<(usize, T)> = digests.0.into_iter().zip(of_digests).collect();
    results.extend(messages.0.into_iter().zip(of_messages));
    results.sort_by_key(|(place, _)| *place);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
