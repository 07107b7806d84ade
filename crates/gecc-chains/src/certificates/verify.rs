//! Verification of certificates with the keys of their possible issuers.

use super::read::{Certificate, LONGEST, SignedPart, certificates};
use super::{Algorithm, Answer, Answers, Options, Reason};
use crate::files::Paths;
use crate::flow::Settings;
use crate::problem::{FilePosition, Problem};
use crate::reason::rejection_of;
use gecc::{CurveId, Engine, P256, PublicKeys, Verdict, ecdsa, sm2};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Number of keys of a name that are always tried, and number of further ones for all certificates
/// together. Without a limit, many keys of one name and many certificates would be tried in all
/// combinations.
const TRIED: usize = 16;
const MORE: usize = 1 << 16;
/// Divisors of the memory limit: for files that are read concurrently, for a single file, and for
/// the certificates read.
const FILES: usize = 8;
const FILE: usize = 4;
const MEMBERS: usize = 2;

const OTHER_ALGORITHM: &str =
    "the signed part states another signature algorithm, or other parameters";

/// A pair of which `issuer` may have signed `certificate`: both are indices into the list of
/// certificates.
#[derive(Clone, Copy)]
struct IssuerPair {
    certificate: usize,
    issuer: usize,
}

/// Verifies the certificates of files with each other's keys. All of them are in memory at once.
/// Once interrupted, there are no answers.
///
/// # Errors
/// Errors of the engine.
pub fn check(
    settings: &Settings,
    paths: &Paths,
    options: &Options,
) -> Result<Answers, gecc::Error> {
    let mut problems = paths.problems.clone();
    let mut all = read(settings, paths, options, &mut problems);
    let mut answers: Vec<Answer> = all.iter_mut().map(not_tried).collect();
    let (pairs, given_up) = pairs(&all, &mut answers);
    // If the engine did not start, there are no answers.
    let Some(engine) = settings.engine() else {
        return Ok(Answers::default());
    };
    let batch = PairBatch { engine, all: &all };
    let most = settings.batch();
    let of_ecdsa = batch.signed_with(
        &pairs,
        &[
            Algorithm::EcdsaSha256,
            Algorithm::EcdsaSha384,
            Algorithm::EcdsaSha512,
        ],
    );
    for pairs in of_ecdsa.chunks(most) {
        if is_over(settings) {
            break;
        }
        note(pairs, &batch.ecdsa(pairs)?, &mut answers);
    }
    let of_sm2 = batch.signed_with(&pairs, &[Algorithm::Sm2Sm3]);
    for id in &options.sm2_user_ids {
        for pairs in of_sm2.chunks(most) {
            if is_over(settings) {
                break;
            }
            note(pairs, &batch.sm2(pairs, id)?, &mut answers);
        }
    }
    if is_over(settings) {
        return Ok(Answers::default());
    }
    for index in given_up {
        if matches!(answers[index].reason, Some(Reason::Signature(_))) {
            answers[index].reason = Some(Reason::NotChecked(
                "more keys have its issuer's name than are tried",
            ));
        }
    }
    Ok(Answers { answers, problems })
}

fn is_over(settings: &Settings) -> bool {
    settings.interrupted.load(Ordering::Relaxed)
}

/// Reads the certificates of all files, as far as the memory limit permits.
fn read(
    settings: &Settings,
    paths: &Paths,
    options: &Options,
    problems: &mut Vec<Problem>,
) -> Vec<Certificate> {
    let kept = settings.limits().kept;
    let mut all = Vec::new();
    let mut held = 0;
    let mut rest = paths.files.as_slice();
    while !rest.is_empty() {
        let (files, after) = rest.split_at(together(rest, kept / FILES));
        rest = after;
        let longest = LONGEST.min((kept / FILE) as u64);
        let read: Vec<_> = settings.pool.install(|| {
            let files = files.par_iter();
            let read = files.map(|(path, _)| match is_over(settings) {
                true => (Vec::new(), Vec::new()),
                false => certificates(path, longest, options),
            });
            read.collect()
        });
        for ((path, _), (certificates, of_file)) in files.iter().zip(read) {
            held += of_file.len() * size_of::<Problem>();
            problems.extend(of_file);
            for certificate in certificates {
                held += certificate.bytes();
                if held > kept / MEMBERS {
                    let what =
                        "the memory limit is reached: certificates from here on are not read";
                    problems.push(Problem::new(
                        path,
                        FilePosition::Byte(certificate.place),
                        what,
                    ));
                    return all;
                }
                all.push(certificate);
            }
        }
    }
    all
}

/// Returns the number of next files that have at most `most` bytes together, at least one.
fn together(files: &[(Arc<Path>, u64)], most: usize) -> usize {
    let mut sum: u64 = 0;
    let mut count = 0;
    for (_, length) in files {
        sum = sum.saturating_add(*length);
        if sum > most as u64 {
            break;
        }
        count += 1;
    }
    count.max(1)
}

/// Creates the answer of a certificate that was not tried yet, and moves the names as text into it.
fn not_tried(certificate: &mut Certificate) -> Answer {
    let reason = match certificate.algorithm {
        _ if !certificate.algorithms_agree => Reason::Malformed(OTHER_ALGORITHM),
        Algorithm::Other => Reason::NotChecked("the signature algorithm is not supported"),
        _ => Reason::NotChecked("its issuer is not among the certificates"),
    };
    Answer {
        path: certificate.path.clone(),
        place: certificate.place,
        subject: std::mem::take(&mut certificate.subject),
        issuer: std::mem::take(&mut certificate.issuer),
        algorithm: certificate.algorithm,
        signed_by: None,
        reason: Some(reason),
    }
}

/// Pairs every certificate with the keys of its issuer's name on the right curve, or with some of
/// them. Also returns the certificates that have more keys than that. A key counts once, however
/// many certificates contain it: the first of them is the issuer.
fn pairs(all: &[Certificate], answers: &mut [Answer]) -> (Vec<IssuerPair>, Vec<usize>) {
    let names: HashSet<&[u8]> = all
        .iter()
        .map(|certificate| certificate.subject_name.as_slice())
        .collect();
    let mut bearers = HashMap::<_, Vec<usize>>::new();
    let mut seen = HashSet::new();
    for (index, certificate) in all.iter().enumerate() {
        if let Some((curve, key)) = &certificate.key
            && seen.insert((&certificate.subject_name, *curve, key))
        {
            bearers
                .entry((certificate.subject_name.as_slice(), *curve))
                .or_default()
                .push(index);
        }
    }
    let mut pairs = Vec::new();
    let mut given_up = Vec::new();
    let mut more = MORE;
    for (index, certificate) in all.iter().enumerate() {
        if certificate.algorithm == Algorithm::Other || !certificate.algorithms_agree {
            continue;
        }
        let issuer = certificate.issuer_name.as_slice();
        let curve = if certificate.algorithm == Algorithm::Sm2Sm3 {
            CurveId::Sm2
        } else {
            CurveId::P256
        };
        let issuers = bearers
            .get(&(issuer, curve))
            .map(Vec::as_slice)
            .unwrap_or_default();
        let tried = issuers.len().min(TRIED + more / certificate.cost());
        more -= tried.saturating_sub(TRIED) * certificate.cost();
        pairs.extend(issuers[..tried].iter().map(|issuer| IssuerPair {
            certificate: index,
            issuer: *issuer,
        }));
        if tried < issuers.len() {
            given_up.push(index);
        }
        if issuers.is_empty() && names.contains(issuer) {
            answers[index].reason = Some(Reason::NotChecked(
                "its issuer's key is of another curve, or of one that is not named",
            ));
        } else if !issuers.is_empty() && certificate.signature.is_none() {
            answers[index].reason = Some(Reason::Malformed("the signature is not DER"));
        }
    }
    (pairs, given_up)
}

/// The certificates and the engine from which the columns of pairs are made.
struct PairBatch<'a> {
    engine: &'a Engine,
    all: &'a [Certificate],
}

impl<'a> PairBatch<'a> {
    /// Selects the pairs of certificates that have a signature by one of these algorithms.
    fn signed_with(&self, pairs: &[IssuerPair], algorithms: &[Algorithm]) -> Vec<IssuerPair> {
        let mut selected = pairs.to_vec();
        selected.retain(|pair| {
            let certificate = &self.all[pair.certificate];
            certificate.signature.is_some() && algorithms.contains(&certificate.algorithm)
        });
        selected
    }

    fn signatures(&self, pairs: &[IssuerPair]) -> Vec<[u8; 64]> {
        pairs
            .iter()
            .map(|pair| {
                self.all[pair.certificate]
                    .signature
                    .expect("pairs without one are left out")
            })
            .collect()
    }

    fn keys(&self, pairs: &[IssuerPair]) -> Vec<&'a [u8]> {
        pairs.iter().map(|pair| self.issuer_key(pair)).collect()
    }

    fn issuer_key(&self, pair: &IssuerPair) -> &'a [u8] {
        let (_, key) = self.all[pair.issuer]
            .key
            .as_ref()
            .expect("pairs without one are left out");
        key
    }

    fn digest(&self, pair: &IssuerPair) -> [u8; 32] {
        match &self.all[pair.certificate].signed {
            SignedPart::Digest(digest) => *digest,
            SignedPart::Message(_) | SignedPart::Other => unreachable!("ECDSA signs a digest"),
        }
    }

    fn message(&self, pair: &IssuerPair) -> &'a [u8] {
        match &self.all[pair.certificate].signed {
            SignedPart::Message(message) => message,
            SignedPart::Digest(_) | SignedPart::Other => unreachable!("SM2 signs a message"),
        }
    }

    fn ecdsa(&self, pairs: &[IssuerPair]) -> Result<Vec<u8>, gecc::Error> {
        let digests: Vec<[u8; 32]> = pairs.iter().map(|pair| self.digest(pair)).collect();
        let signatures = self.signatures(pairs);
        let keys = self.keys(pairs);
        let mut codes = vec![0; pairs.len()];
        let policy = ecdsa::Policy::default();
        ecdsa::verify_into(
            self.engine,
            P256,
            &digests,
            &signatures,
            PublicKeys::sec1(&keys),
            policy,
            &mut codes,
        )?;
        Ok(codes)
    }

    fn sm2(&self, pairs: &[IssuerPair], id: &[u8]) -> Result<Vec<u8>, gecc::Error> {
        let messages: Vec<&[u8]> = pairs.iter().map(|pair| self.message(pair)).collect();
        let signatures = self.signatures(pairs);
        let keys = self.keys(pairs);
        let mut codes = vec![0; pairs.len()];
        let ids = sm2::UserIds::all(id);
        sm2::verify_messages_into(
            self.engine,
            &messages,
            ids,
            &signatures,
            PublicKeys::sec1(&keys),
            &mut codes,
        )?;
        Ok(codes)
    }
}

/// Records results. The first issuer whose key matches is the signer. If none matches, the reason
/// is that of the first key that was tried.
fn note(pairs: &[IssuerPair], codes: &[u8], answers: &mut [Answer]) {
    for (pair, code) in pairs.iter().zip(codes) {
        let answer = &mut answers[pair.certificate];
        match answer.reason {
            Some(Reason::NotChecked(_) | Reason::Signature(_)) if *code == Verdict::VALID_CODE => {
                answer.reason = None;
                answer.signed_by = Some(pair.issuer);
            }
            Some(Reason::NotChecked(_)) => {
                answer.reason = Some(Reason::Signature(rejection_of(*code)));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a certificate whose subject is its issuer, with a key that depends on `index`.
    fn certificate(index: usize, curve: CurveId) -> Certificate {
        Certificate {
            path: Arc::from(Path::new("file")),
            place: index as u64,
            subject: String::new(),
            issuer: String::new(),
            subject_name: vec![1],
            issuer_name: vec![1],
            algorithms_agree: true,
            algorithm: if curve == CurveId::Sm2 {
                Algorithm::Sm2Sm3
            } else {
                Algorithm::EcdsaSha256
            },
            key: Some((curve, index.to_le_bytes().to_vec())),
            signed: if curve == CurveId::Sm2 {
                SignedPart::Message(vec![0; 5120])
            } else {
                SignedPart::Digest([0; 32])
            },
            signature: Some([1; 64]),
        }
    }

    /// Creates certificates of one name and issuer, each with a key of its own.
    fn of_one_name(count: usize, curve: CurveId) -> Vec<Certificate> {
        (0..count).map(|index| certificate(index, curve)).collect()
    }

    #[test]
    fn pairs_are_limited_for_many_keys_of_one_name() {
        for (curve, more) in [(CurveId::P256, MORE), (CurveId::Sm2, MORE / 11)] {
            for count in [1, TRIED, 80, 10_000] {
                let mut all = of_one_name(count, curve);
                let mut answers: Vec<Answer> = all.iter_mut().map(not_tried).collect();
                let (pairs, given_up) = pairs(&all, &mut answers);
                assert!(pairs.len() <= count * TRIED + more);
                assert_eq!(pairs.len() == count * count, given_up.is_empty());
                assert_eq!(given_up.is_empty(), count <= 80);
                // Each certificate has its share, including the last.
                assert!(
                    pairs
                        .iter()
                        .filter(|pair| pair.certificate == count - 1)
                        .count()
                        >= TRIED.min(count)
                );
            }
        }
    }
}
