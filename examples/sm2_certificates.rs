//! Which members of a permissioned ledger hold certificates whose SM2-with-SM3 signatures lead up to a root.
//!
//! `cargo run --release --example sm2_certificates [-- [--jsonl] [CERTIFICATES.json …]]`
//!
//! The members of such a ledger are the certificates, and its trust anchors are the self-signed ones. The file is a list
//! of `{"cert_der_b64", "id", "src", "valid"}`: a DER certificate, the user id its issuer signed with (hex; the standard's
//! default is not the only one in use), its origin, and the known answer. Certificates name their issuer, and several
//! issuers may share a name: every issuer of that name is tried, all in one batch.
//!
//! Only signatures are checked, which is what gecc is for. A ledger also needs the rest of RFC 5280, section 6: validity
//! dates, CA flags, key usage, revocation. Several of the shipped certificates were made to fail exactly those.

#[path = "common/args.rs"]
mod args;
mod common;
#[path = "common/record.rs"]
mod record;

use args::Args;
use base64ct::{Base64, Encoding};
use clap::Parser;
use common::Outcome;
use gecc::{Engine, PublicKeys, Verdicts, sm2};
use record::Record;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use x509_cert::Certificate;
use x509_cert::certificate::Rfc5280;
use x509_cert::crl::CertificateList;
use x509_cert::der::{Decode, Encode, Reader, SliceReader, oid::ObjectIdentifier};

const SHIPPED: [&str; 1] = ["sm2/sm2_certs.json"];

/// SM2 with SM3, GM/T 0006.
const SM2_WITH_SM3: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.156.10197.1.501");

#[derive(Deserialize)]
struct Row {
    src: String,
    id: String,
    cert_der_b64: String,
    valid: bool,
}

/// A certificate, as far as its signature and its place in a chain go.
struct Member {
    source: String,
    subject: Vec<u8>,
    issuer: Vec<u8>,
    /// SEC 1.
    key: Vec<u8>,
    /// The signed part, as it stands in the file.
    message: Vec<u8>,
    user_id: Vec<u8>,
    der: Vec<u8>,
    signature: [u8; 64],
    known_valid: bool,
}

/// `member` may be signed by `issuer`: both are positions in the list of members.
struct Pair {
    member: usize,
    issuer: usize,
}

fn main() -> ExitCode {
    common::exit_code(run())
}

/// Whether every signature is as the file says.
fn run() -> Outcome<bool> {
    let args = Args::parse();
    let mut members = Vec::new();
    for path in args.files_or(&SHIPPED) {
        members.extend(read_members(&path).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    let pairs = pairs(&members);
    let engine = Engine::new()?;
    let start = Instant::now();
    let verdicts = verify(&engine, &members, &pairs)?;
    let time = start.elapsed();

    let fitting: Vec<&Pair> =
        pairs.iter().zip(verdicts.iter()).filter(|(_, verdict)| verdict.is_valid()).map(|(pair, _)| pair).collect();
    let issuers = issuers(&members, &fitting);
    let mismatches = report_mismatches(&members, &issuers);
    if args.jsonl {
        let signed = members.iter().zip(&issuers);
        let records: Vec<Record> = signed
            .filter_map(|(member, issuer)| to_record(member, &members[(*issuer)?]).transpose())
            .collect::<Outcome<_>>()?;
        record::print(&records)?;
    } else {
        print_summary(&members, &distances(&members, &fitting));
        println!("{mismatches} differ from the known answer");
        println!("{}", common::throughput("pairs of certificate and issuer", pairs.len(), time, &engine));
    }
    Ok(mismatches == 0)
}

fn read_members(path: &Path) -> Outcome<Vec<Member>> {
    let rows: Vec<Row> = serde_json::from_slice(&common::read(path)?)?;
    let named = |row: &Row| to_member(row).map_err(|error| format!("{}: {error}", row.src).into());
    rows.iter().filter_map(|row| named(row).transpose()).collect()
}

/// `None` for a revocation list: the file has a few among the certificates, and they make nobody a member.
fn to_member(row: &Row) -> Outcome<Option<Member>> {
    let file = Base64::decode_vec(&row.cert_der_b64)?;
    // A file may hold several certificates; the row speaks of the first.
    let encoded = SliceReader::new(&file)?.tlv_bytes()?;
    if CertificateList::<Rfc5280>::from_der(encoded).is_ok() {
        return Ok(None);
    }
    let certificate = Certificate::from_der(encoded)?;
    if certificate.signature_algorithm().oid != SM2_WITH_SM3 {
        return Err("the signature algorithm is not SM2 with SM3".into());
    }
    let contents = certificate.tbs_certificate();
    let key = &contents.subject_public_key_info().subject_public_key;
    let der = certificate.signature().as_bytes().ok_or("the signature has unused bits")?;
    Ok(Some(Member {
        source: row.src.clone(),
        subject: contents.subject().to_der()?,
        issuer: contents.issuer().to_der()?,
        key: key.as_bytes().ok_or("the key has unused bits")?.to_vec(),
        message: signed_part(encoded)?.to_vec(),
        user_id: hex::decode(&row.id)?,
        der: der.to_vec(),
        signature: gecc::signature_from_der(der)?,
        known_valid: row.valid,
    }))
}

/// The first element of the certificate, byte for byte: encoding it again need not give what was signed.
fn signed_part(certificate: &[u8]) -> x509_cert::der::Result<&[u8]> {
    SliceReader::new(certificate)?.sequence(|reader| {
        let signed = reader.tlv_bytes()?;
        reader.drain(reader.remaining_len())?;
        Ok(signed)
    })
}

/// Every member with every bearer of its issuer's name.
fn pairs(members: &[Member]) -> Vec<Pair> {
    let mut by_subject: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (index, member) in members.iter().enumerate() {
        by_subject.entry(&member.subject).or_default().push(index);
    }
    let pairs_of = |(index, member): (usize, &Member)| {
        let issuers = by_subject.get(member.issuer.as_slice()).cloned().unwrap_or_default();
        issuers.into_iter().map(move |issuer| Pair { member: index, issuer })
    };
    members.iter().enumerate().flat_map(pairs_of).collect()
}

fn verify(engine: &Engine, members: &[Member], pairs: &[Pair]) -> Result<Verdicts, gecc::Error> {
    let signed = || pairs.iter().map(|pair| &members[pair.member]);
    let messages: Vec<&[u8]> = signed().map(|member| member.message.as_slice()).collect();
    let user_ids: Vec<&[u8]> = signed().map(|member| member.user_id.as_slice()).collect();
    let signatures: Vec<[u8; 64]> = signed().map(|member| member.signature).collect();
    let keys: Vec<&[u8]> = pairs.iter().map(|pair| members[pair.issuer].key.as_slice()).collect();
    sm2::verify_messages(engine, &messages, sm2::UserIds::each(&user_ids), &signatures, PublicKeys::sec1(&keys))
}

/// The first issuer whose key fits, for each member that has one.
fn issuers(members: &[Member], fitting: &[&Pair]) -> Vec<Option<usize>> {
    let mut issuers = vec![None; members.len()];
    for pair in fitting {
        issuers[pair.member].get_or_insert(pair.issuer);
    }
    issuers
}

/// Names the members whose signature is not as the file says on standard error, and counts them.
fn report_mismatches(members: &[Member], issuers: &[Option<usize>]) -> usize {
    let differs = |(member, issuer): &(&Member, &Option<usize>)| member.known_valid != issuer.is_some();
    let mismatches: Vec<_> = members.iter().zip(issuers).filter(differs).collect();
    for (member, issuer) in &mismatches {
        let found = if issuer.is_some() { "signed by its issuer" } else { "signed by no issuer of that name" };
        eprintln!("{}: {found}, which the file denies", member.source);
    }
    mismatches.len()
}

/// Steps from each member up to its nearest root, a certificate that its own key signed; `None` where no chain ends in
/// one. Breadth first from the roots over every issuer that fits: a member with two, one of them leading nowhere, still
/// finds its root, and cross-signed certificates cannot send the search in circles.
fn distances(members: &[Member], fitting: &[&Pair]) -> Vec<Option<usize>> {
    let mut distances = vec![None; members.len()];
    let mut reached: Vec<usize> =
        fitting.iter().filter(|pair| pair.member == pair.issuer).map(|pair| pair.member).collect();
    for steps in 0.. {
        if reached.is_empty() {
            break;
        }
        reached.iter().for_each(|&member| distances[member] = Some(steps));
        let next = |pair: &&&Pair| distances[pair.issuer] == Some(steps) && distances[pair.member].is_none();
        reached = fitting.iter().filter(next).map(|pair| pair.member).collect();
    }
    distances
}

fn print_summary(members: &[Member], distances: &[Option<usize>]) {
    let default_ids = members.iter().filter(|member| member.user_id == sm2::DEFAULT_USER_ID).count();
    println!("{} certificates, {default_ids} of them with the default user id", members.len());
    let mut counts = BTreeMap::new();
    distances.iter().for_each(|distance| *counts.entry(distance).or_insert(0) += 1);
    for (distance, count) in counts {
        match distance {
            Some(0) => println!("{count:6} roots"),
            Some(steps) => println!("{count:6} members at {steps} from a root"),
            None => println!("{count:6} without a chain to a root"),
        }
    }
}

fn to_record(member: &Member, issuer: &Member) -> Outcome<Option<Record>> {
    Ok(Some(Record {
        message: Some(hex::encode(&member.message)),
        id: Some(String::from_utf8(member.user_id.clone())?),
        der: Some(hex::encode(&member.der)),
        public_key: hex::encode(&issuer.key),
        tag: member.source.clone(),
        ..Record::default()
    }))
}
