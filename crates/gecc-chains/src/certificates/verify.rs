//! Certificates tried with the keys of those who may have signed them.

use super::read::{Member, members};
use super::{Algorithm, Answer, Answers, Options, Reason};
use crate::files::Paths;
use crate::flow::Settings;
use crate::reason::rejection_of;
use gecc::{CurveId, Engine, P256, PublicKeys, Verdict, ecdsa, sm2};
use rayon::prelude::*;
use sha2::{Digest, Sha256, Sha384, Sha512};
use std::collections::HashMap;

/// `member` may be signed by `issuer`: both are positions in the list of members.
#[derive(Clone, Copy)]
struct Pair {
    member: usize,
    issuer: usize,
}

/// Verifies the certificates of some files by each other's keys. All of them are in memory at once.
///
/// # Errors
/// What the engine says.
pub fn check(settings: &Settings, paths: &Paths, options: &Options) -> Result<Answers, gecc::Error> {
    let read: Vec<_> = settings.pool.install(|| paths.files.par_iter().map(|(path, _)| members(path)).collect());
    let (mut all, mut problems) = (Vec::new(), paths.problems.clone());
    for (members, of_file) in read {
        all.extend(members);
        problems.extend(of_file);
    }
    let mut answers: Vec<Answer> = all.iter().map(not_tried).collect();
    let pairs = pairs(&all, &mut answers);
    let signatures = signatures(&all, &pairs, &mut answers);
    let tried = |algorithms: &[Algorithm]| -> Vec<Pair> {
        let is_tried =
            |pair: &&Pair| signatures[pair.member].is_some() && algorithms.contains(&all[pair.member].algorithm);
        pairs.iter().filter(is_tried).copied().collect()
    };
    let batch = Batch { settings, all: &all, signatures: &signatures };
    let of_ecdsa = tried(&[Algorithm::EcdsaSha256, Algorithm::EcdsaSha384, Algorithm::EcdsaSha512]);
    note(&of_ecdsa, &batch.ecdsa(&of_ecdsa)?, &mut answers);
    let of_sm2 = tried(&[Algorithm::Sm2Sm3]);
    for id in &options.sm2_user_ids {
        note(&of_sm2, &batch.sm2(&of_sm2, id)?, &mut answers);
    }
    Ok(Answers { answers, problems })
}

fn not_tried(member: &Member) -> Answer {
    let why = if member.algorithm == Algorithm::Other { "the algorithm is another" } else { "its issuer is not there" };
    Answer {
        path: member.path.clone(),
        place: member.place,
        subject: member.subject.clone(),
        issuer: member.issuer.clone(),
        algorithm: member.algorithm,
        signed_by: None,
        reason: Some(Reason::NotChecked(why)),
    }
}

/// Every member with every bearer of its issuer's name whose key is of the curve.
fn pairs(all: &[Member], answers: &mut [Answer]) -> Vec<Pair> {
    let mut by_subject: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, member) in all.iter().enumerate() {
        by_subject.entry(&member.subject_der).or_default().push(index);
    }
    let mut pairs = Vec::new();
    for (index, member) in all.iter().enumerate().filter(|(_, member)| member.algorithm != Algorithm::Other) {
        let curve = if member.algorithm == Algorithm::Sm2Sm3 { CurveId::Sm2 } else { CurveId::P256 };
        let issuers = by_subject.get(member.issuer_der.as_slice()).map(Vec::as_slice).unwrap_or_default();
        let fitting = issuers.iter().filter(|issuer| all[**issuer].key.as_ref().is_some_and(|(of, _)| *of == curve));
        let before = pairs.len();
        pairs.extend(fitting.map(|issuer| Pair { member: index, issuer: *issuer }));
        if pairs.len() == before && !issuers.is_empty() {
            answers[index].reason =
                Some(Reason::NotChecked("its issuer's key is of another curve, or of one that is not named"));
        }
    }
    pairs
}

/// r and s of each member that may be signed by another. Those by keys of larger curves would not be of this size.
fn signatures(all: &[Member], pairs: &[Pair], answers: &mut [Answer]) -> Vec<Option<[u8; 64]>> {
    let mut signatures = vec![None; all.len()];
    for Pair { member, .. } in pairs {
        signatures[*member] = gecc::signature_from_der(&all[*member].signature).ok();
        if signatures[*member].is_none() {
            answers[*member].reason = Some(Reason::Malformed("the signature is not DER"));
        }
    }
    signatures
}

/// What pairs are verified with.
struct Batch<'a> {
    settings: &'a Settings<'a>,
    all: &'a [Member],
    signatures: &'a [Option<[u8; 64]>],
}

impl<'a> Batch<'a> {
    fn engine(&self) -> &Engine {
        self.settings.engine
    }

    fn signatures(&self, pairs: &[Pair]) -> Vec<[u8; 64]> {
        pairs.iter().map(|pair| self.signatures[pair.member].expect("pairs without one are left out")).collect()
    }

    fn keys(&self, pairs: &[Pair]) -> Vec<&'a [u8]> {
        let key = |pair: &Pair| self.all[pair.issuer].key.as_ref().map(|(_, key)| key.as_slice());
        pairs.iter().map(|pair| key(pair).expect("pairs without one are left out")).collect()
    }

    fn ecdsa(&self, pairs: &[Pair]) -> Result<Vec<u8>, gecc::Error> {
        let digest = |pair: &Pair| {
            let Member { algorithm, message, .. } = &self.all[pair.member];
            digest(*algorithm, message)
        };
        let digests: Vec<[u8; 32]> = self.settings.pool.install(|| pairs.par_iter().map(digest).collect());
        let (signatures, keys, mut codes) = (self.signatures(pairs), self.keys(pairs), vec![0; pairs.len()]);
        let policy = ecdsa::Policy::default();
        ecdsa::verify_into::<P256>(self.engine(), &digests, &signatures, PublicKeys::sec1(&keys), policy, &mut codes)?;
        Ok(codes)
    }

    fn sm2(&self, pairs: &[Pair], id: &[u8]) -> Result<Vec<u8>, gecc::Error> {
        let messages: Vec<&[u8]> = pairs.iter().map(|pair| self.all[pair.member].message.as_slice()).collect();
        let (signatures, keys, mut codes) = (self.signatures(pairs), self.keys(pairs), vec![0; pairs.len()]);
        let ids = sm2::UserIds::all(id);
        sm2::verify_messages_into(self.engine(), &messages, ids, &signatures, PublicKeys::sec1(&keys), &mut codes)?;
        Ok(codes)
    }
}

/// FIPS 186-5, section 6.4.2: of a longer digest the first 256 bits.
fn digest(algorithm: Algorithm, message: &[u8]) -> [u8; 32] {
    let first = |digest: &[u8]| digest[..32].try_into().expect("longer digests than 32 bytes");
    match algorithm {
        Algorithm::EcdsaSha384 => first(&Sha384::digest(message)),
        Algorithm::EcdsaSha512 => first(&Sha512::digest(message)),
        _ => Sha256::digest(message).into(),
    }
}

/// The first issuer whose key fits is the signer. The first that does not says why, unless one does.
fn note(pairs: &[Pair], codes: &[u8], answers: &mut [Answer]) {
    for (pair, code) in pairs.iter().zip(codes) {
        let answer = &mut answers[pair.member];
        match answer.reason {
            Some(Reason::NotChecked(_) | Reason::Signature(_)) if *code == Verdict::VALID_CODE => {
                (answer.reason, answer.signed_by) = (None, Some(pair.issuer));
            }
            Some(Reason::NotChecked(_)) => {
                answer.reason = Some(Reason::Signature(rejection_of(*code)));
            }
            _ => {}
        }
    }
}
