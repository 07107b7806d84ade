//! Scans outputs of Monero with a private view key, as a wallet or a light-wallet server does, and
//! compares what is found with what was sent.
//!
//! `cargo run --release --example monero_view_tags [-- TRANSACTIONS]`
//!
//! The transactions are made here, by curve25519-dalek and RustCrypto's Keccak: two outputs each, of
//! which one in ten transactions sends one to an address or subaddress of the wallet. The scanner,
//! with the wallet's private view key a and its table of public spend keys, uses gecc alone:
//!
//! 1. The derivation of each transaction with public key R is D = 8 a R.
//! 2. The view tag of output i is the first byte of Keccak-256("view_tag" || D || varint(i)). Outputs
//!    with another tag belong to somebody else: 255 of 256 that do not belong to the wallet.
//! 3. For the others, s = Keccak-256(D || varint(i)) modulo l. The one-time key P of an output to the
//!    spend key B is s G + B, so that P - s G is looked up in the table. With the subaddresses in it,
//!    one step finds the address that was paid.
//!
//! Derivations are secret: with them, anybody can tell which outputs the wallet receives. gecc
//! computes them in constant time and wipes its copies, and this program wipes its own. Hashing
//! treats messages as public, though, so that a scanner should not share its machine with others.

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use gecc::edwards25519::{self, Points};
use gecc::fields::Hash;
use gecc::{Engine, SecretKey, Verdict, hash};
use rayon::prelude::*;
use sha3::{Digest, Keccak256};
use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use zeroize::{Zeroize, Zeroizing};

/// The number of transactions without an argument.
const TRANSACTIONS: usize = 2000;
const OUTPUTS_EACH: usize = 2;
/// One transaction in so many pays the wallet.
const ONE_IN: usize = 10;
/// Accounts, and subaddresses of each; subaddress (0, 0) is the main address.
const ACCOUNTS: u32 = 3;
const ADDRESSES_EACH: u32 = 50;
/// The number of transactions that are scanned together, to bound the memory.
const BATCH: usize = 1 << 16;

type Row = [u8; 32];

/// The index of a subaddress: account and address.
type Subaddress = (u32, u32);

/// An output of a transaction, with its index in the transaction.
#[derive(Clone, Copy)]
struct Output {
    index: u64,
    key: Row,
    view_tag: u8,
}

struct Transaction {
    public_key: Row,
    outputs: [Output; OUTPUTS_EACH],
}

/// An output that belongs to the wallet: transaction, index, and the address that was paid.
type Received = (usize, u64, Subaddress);

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether the scanner found exactly what was sent.
fn run() -> Result<bool, Box<dyn Error>> {
    let count = match env::args().nth(1) {
        Some(count) => count
            .parse()
            .map_err(|_| format!("`{count}` is not a number of transactions"))?,
        None => TRANSACTIONS,
    };
    let view_key = random_scalar()?;
    let spend_key = ED25519_BASEPOINT_POINT * random_scalar()?;
    let engine = Engine::new()?;
    let wallet = Wallet::new(&engine, view_key.to_bytes(), spend_key.compress().0)?;
    let addresses = Address::all(&view_key, &spend_key);
    let sent: Vec<(Transaction, Option<(u64, Subaddress)>)> = (0..count)
        .into_par_iter()
        .map(|number| send(number, &addresses))
        .collect::<Result<_, _>>()?;
    let expected: Vec<Received> = sent
        .iter()
        .enumerate()
        .filter_map(|(number, (_, paid))| paid.map(|(index, to)| (number, index, to)))
        .collect();
    let transactions: Vec<Transaction> = sent.into_iter().map(|(sent, _)| sent).collect();

    // The first batch also prepares kernels and tables.
    let first = &transactions[..count.min(16)];
    wallet.scan(&engine, first)?;
    let start = Instant::now();
    let mut found = Vec::new();
    let mut candidates = 0;
    let mut deriving = Duration::ZERO;
    for (batch, transactions) in transactions.chunks(BATCH).enumerate() {
        let scan = wallet.scan(&engine, transactions)?;
        let of_batch = scan.received.into_iter();
        found.extend(of_batch.map(|(number, index, to)| (batch * BATCH + number, index, to)));
        candidates += scan.candidates;
        deriving += scan.deriving;
    }
    let seconds = start.elapsed().as_secs_f64();
    let outputs = count * OUTPUTS_EACH;
    println!(
        "{outputs} outputs of {count} transactions in {seconds:.3} s: {:.0} outputs/s, of which \
         derivations took {:.0} %",
        outputs as f64 / seconds,
        100.0 * deriving.as_secs_f64() / seconds,
    );
    println!("{candidates} outputs have the view tag of the wallet");
    println!(
        "{} outputs received; the senders paid {}",
        found.len(),
        expected.len()
    );
    Ok(found == expected)
}

/// The secrets of a scanner.
struct Wallet {
    view_key: SecretKey,
    /// The subaddresses by their public spend keys.
    spend_keys: HashMap<Row, Subaddress>,
}

struct Scan {
    received: Vec<Received>,
    /// The number of outputs with a matching view tag.
    candidates: usize,
    /// The time for all derivations.
    deriving: Duration,
}

impl Wallet {
    /// Computes the spend keys of all subaddresses: B + m G with
    /// m = Keccak-256("SubAddr\0" || a || account || address) modulo l.
    fn new(engine: &Engine, view_key: Row, spend_key: Row) -> Result<Self, Box<dyn Error>> {
        let view_key = Zeroizing::new(view_key);
        let subaddresses: Vec<Subaddress> = subaddresses().skip(1).collect();
        let mut messages: Zeroizing<Vec<[u8; 48]>> =
            Zeroizing::new(vec![[0; 48]; subaddresses.len()]);
        for (message, (account, address)) in messages.iter_mut().zip(&subaddresses) {
            message[..8].copy_from_slice(b"SubAddr\0");
            message[8..40].copy_from_slice(&*view_key);
            message[40..44].copy_from_slice(&account.to_le_bytes());
            message[44..].copy_from_slice(&address.to_le_bytes());
        }
        let offsets = reduced(hash::digests(engine, Hash::Keccak256, &messages)?);
        let offsets = valid(edwards25519::public_keys(engine, &offsets)?)?;
        let main = Points::canonical(gecc::Rows::all(&spend_key));
        let keys = valid(edwards25519::add(
            engine,
            Points::canonical(&offsets),
            main,
        )?)?;
        let mut spend_keys: HashMap<Row, Subaddress> = keys.into_iter().zip(subaddresses).collect();
        spend_keys.insert(spend_key, (0, 0));
        Ok(Wallet {
            view_key: SecretKey::from_bytes(*view_key),
            spend_keys,
        })
    }

    /// Finds the outputs that belong to the wallet.
    fn scan(&self, engine: &Engine, transactions: &[Transaction]) -> Result<Scan, Box<dyn Error>> {
        let start = Instant::now();
        let public_keys: Vec<Row> = transactions.iter().map(|sent| sent.public_key).collect();
        let mut derivations = Zeroizing::new(vec![[0; 32]; transactions.len()]);
        let mut codes = vec![0; transactions.len()];
        // The encodings that Monero accepts are the canonical ones.
        let points = Points::canonical(&public_keys);
        edwards25519::mul_cofactored_into(
            engine,
            &self.view_key,
            points,
            &mut derivations,
            &mut codes,
        )?;
        let deriving = start.elapsed();

        let mut outputs = Vec::new();
        for (number, sent) in transactions.iter().enumerate() {
            // A transaction whose public key is not a point pays nobody.
            if codes[number] == Verdict::VALID_CODE {
                outputs.extend(sent.outputs.iter().map(|output| (number, *output)));
            }
        }
        let tags = messages(b"view_tag", &derivations, &outputs);
        let tags = hash::digests(engine, Hash::Keccak256, &tags)?;
        let candidates: Vec<(usize, Output)> = outputs
            .into_iter()
            .zip(tags)
            .filter(|((_, output), tag)| output.view_tag == tag[0])
            .map(|(output, _)| output)
            .collect();

        let shared = messages(b"", &derivations, &candidates);
        let scalars = reduced(hash::digests(engine, Hash::Keccak256, &shared)?);
        let mut opposites = valid(edwards25519::public_keys(engine, &scalars)?)?;
        // -(x, y) is (-x, y). No x is 0, since no scalar is.
        opposites.iter_mut().for_each(|row| row[31] ^= 0x80);
        let keys: Vec<Row> = candidates.iter().map(|(_, output)| output.key).collect();
        let differences = edwards25519::add(
            engine,
            Points::canonical(&keys),
            Points::canonical(&opposites),
        )?;
        opposites.zeroize();
        let mut received = Vec::new();
        for ((number, output), difference) in candidates.iter().zip(differences) {
            // An output whose key is not a point belongs to nobody.
            if let Ok(spend_key) = difference
                && let Some(to) = self.spend_keys.get(&spend_key)
            {
                received.push((*number, output.index, *to));
            }
        }
        Ok(Scan {
            received,
            candidates: candidates.len(),
            deriving,
        })
    }
}

/// A message of at most 50 bytes: a tag, a derivation and an index. Wiped when dropped.
struct Message {
    bytes: Zeroizing<[u8; 50]>,
    length: usize,
}

impl Message {
    fn new(tag: &[u8], derivation: &Row, mut index: u64) -> Self {
        let mut bytes = Zeroizing::new([0; 50]);
        bytes[..tag.len()].copy_from_slice(tag);
        let mut length = tag.len() + derivation.len();
        bytes[tag.len()..length].copy_from_slice(derivation);
        // Groups of seven bits, the lowest first.
        while index >= 0x80 {
            bytes[length] = index as u8 | 0x80;
            length += 1;
            index >>= 7;
        }
        bytes[length] = index as u8;
        Message {
            bytes,
            length: length + 1,
        }
    }
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Returns tag || D || varint(i) for each output of a transaction.
fn messages(tag: &[u8], derivations: &[Row], outputs: &[(usize, Output)]) -> Vec<Message> {
    outputs
        .iter()
        .map(|(number, output)| Message::new(tag, &derivations[*number], output.index))
        .collect()
}

/// Returns digests modulo l, as secret scalars.
fn reduced(digests: Vec<Row>) -> Vec<SecretKey> {
    let digests = Zeroizing::new(digests);
    digests.iter().map(edwards25519::reduce).collect()
}

/// Returns the results of items of which none can be rejected.
fn valid(results: Vec<Result<Row, gecc::Rejection>>) -> Result<Vec<Row>, gecc::Rejection> {
    results.into_iter().collect()
}

fn subaddresses() -> impl Iterator<Item = Subaddress> {
    (0..ACCOUNTS).flat_map(|account| (0..ADDRESSES_EACH).map(move |address| (account, address)))
}

/// An address as its owner publishes it. Made and used by curve25519-dalek alone, as what follows.
struct Address {
    subaddress: Subaddress,
    view_key: EdwardsPoint,
    spend_key: EdwardsPoint,
}

impl Address {
    fn all(view_key: &Scalar, spend_key: &EdwardsPoint) -> Vec<Self> {
        subaddresses()
            .map(|subaddress| {
                let (account, address) = subaddress;
                let hash = Keccak256::new()
                    .chain_update(b"SubAddr\0")
                    .chain_update(view_key.as_bytes())
                    .chain_update(account.to_le_bytes())
                    .chain_update(address.to_le_bytes());
                let offset = Scalar::from_bytes_mod_order(hash.finalize().into());
                let spend_key = match subaddress {
                    (0, 0) => *spend_key,
                    _ => spend_key + ED25519_BASEPOINT_POINT * offset,
                };
                let view_key = match subaddress {
                    (0, 0) => ED25519_BASEPOINT_POINT * view_key,
                    _ => spend_key * view_key,
                };
                Address {
                    subaddress,
                    view_key,
                    spend_key,
                }
            })
            .collect()
    }
}

/// Makes a transaction, and returns the output that pays the wallet and the address, if there is one.
/// Other outputs are for addresses of nobody.
fn send(
    number: usize,
    addresses: &[Address],
) -> Result<(Transaction, Option<(u64, Subaddress)>), getrandom::Error> {
    let stranger = Address {
        subaddress: (0, 0),
        view_key: ED25519_BASEPOINT_POINT * random_scalar()?,
        spend_key: ED25519_BASEPOINT_POINT * random_scalar()?,
    };
    let is_for_wallet = number.is_multiple_of(ONE_IN);
    let recipient = match is_for_wallet {
        true => &addresses[number / ONE_IN % addresses.len()],
        false => &stranger,
    };
    let paying = number / ONE_IN % OUTPUTS_EACH;
    let r = random_scalar()?;
    // A transaction to a subaddress has a public key of its own form.
    let public_key = match recipient.subaddress {
        (0, 0) => ED25519_BASEPOINT_POINT * r,
        _ => recipient.spend_key * r,
    };
    let output = |index: usize| {
        let to = if index == paying {
            recipient
        } else {
            &stranger
        };
        let derivation = (to.view_key * r).mul_by_cofactor().compress().0;
        // A varint of one byte.
        let index_byte = [index as u8];
        let hash = |tag: &[u8]| -> Row {
            let hash = Keccak256::new().chain_update(tag);
            let hash = hash.chain_update(derivation).chain_update(index_byte);
            hash.finalize().into()
        };
        let scalar = Scalar::from_bytes_mod_order(hash(b""));
        let key = ED25519_BASEPOINT_POINT * scalar + to.spend_key;
        Output {
            index: index as u64,
            key: key.compress().0,
            view_tag: hash(b"view_tag")[0],
        }
    };
    let transaction = Transaction {
        public_key: public_key.compress().0,
        outputs: std::array::from_fn(output),
    };
    let paid = is_for_wallet.then_some((paying as u64, recipient.subaddress));
    Ok((transaction, paid))
}

fn random_scalar() -> Result<Scalar, getrandom::Error> {
    let mut bytes = Zeroizing::new([0; 64]);
    getrandom::fill(&mut *bytes)?;
    Ok(Scalar::from_bytes_mod_order_wide(&bytes))
}
