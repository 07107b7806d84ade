//! Private set intersection by ECDH between two processes: one party learns which items the files
//! of both have in common, the other learns nothing, except that both learn the sizes.
//!
//! ```sh
//! cargo run --release --example ecdh_psi [-- ALICE.txt BOB.txt]   # both parties, and a check
//! ecdh_psi listen [ADDRESS] BOB.txt                               # one party on each machine
//! ecdh_psi connect ADDRESS ALICE.txt                              # prints the common items
//! ecdh_psi items COUNT SHARED FOLDER                              # alice.txt and bob.txt to measure
//! ```
//!
//! A file holds one item per line; space around it does not count. The example data are the senders
//! of two Ethereum blocks: two exchanges that look for common customers have such lists. Without a
//! subcommand, the program starts itself as both parties on the loopback interface, and compares the
//! result with the plain intersection.
//!
//! # Protocol
//!
//! Alice connects and learns the intersection; Bob listens. H maps items to points of P-256 by a
//! suite of RFC 9380 (Meadows 1986; Huberman, Franklin, Hogg 1999).
//!
//! 1. Each party removes duplicates, shuffles its items, and generates a key for this run only: a
//!    and b.
//! 2. Both send a greeting with protocol, suite and number of items.
//! 3. Alice sends a·H(x) for her items, Bob sends b·H(y) for his.
//! 4. Bob multiplies Alice's points by b and returns them in her order, truncated to as many bytes as
//!    keep the probability of a false match at or below 2^-30.
//! 5. Alice multiplies Bob's points by a. Those of her items whose returned point is among them are
//!    the intersection. Bob's order is random, so she does not learn which of his lines they are.
//!
//! Steps 3 to 5 overlap, in chunks: each party has a thread for each of masking its own items,
//! masking those of the other party, sending and receiving.
//!
//! # Security
//!
//! The protocol is for parties that follow it but are curious (honest but curious): without a or b,
//! a·H(x) is a random point to the other side, by the decisional Diffie-Hellman assumption. Masking
//! is constant-time in items and keys. It does not protect against
//!
//! - a party that deviates: it can choose its set to test guesses, which for a small domain such as
//!   telephone numbers reveals all of the other set to Alice, or send points of its choice and make
//!   Alice believe in matches that do not exist;
//! - conclusions from sizes, which both learn, and from the results of several runs. Runs themselves
//!   cannot be linked, because the keys are fresh;
//! - others on the network: the connection is neither encrypted nor authenticated, so anyone who
//!   reaches the port can be Alice. Run it inside TLS, SSH or WireGuard.
//!
//! Bob never learns the result. If he should, Alice tells him, or both run the protocol again with
//! the roles exchanged. `docs/masking.md` has more about masks and their security.

use gecc::hash_to_curve::Suite;
use gecc::mask::{self, Form, Masked};
use gecc::{Engine, P256, PublicKeys, SecretKey, Verdict};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// The lists of the example data.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/psi");
const USAGE: &str = "usage: ecdh_psi [ALICE BOB] | listen [ADDRESS] FILE | connect ADDRESS FILE | \
                     items COUNT SHARED FOLDER";
/// Where Bob listens by default: at a port of the system's choice, for this machine only.
const LOOPBACK: &str = "127.0.0.1:0";

const SUITE: Suite = Suite::P256SswuRo;
/// Keeps these points apart from those that other programs make of the same items.
const DOMAIN: &[u8] = b"gecc-example-ecdh_psi-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_";

const MAGIC: [u8; 8] = *b"gecc-psi";
const VERSION: u8 = 1;
/// The maximum size of a set. Items are numbered by 32 bits.
const MAX_ITEMS: usize = 1 << 30;
/// The maximum number of points that a party sends at a time, 33 MiB.
const MAX_CHUNK: usize = 1 << 20;
/// Chunks that wait between two threads.
const QUEUED: usize = 2;
/// The probability of a false match is at most 2 to the negative of this.
const FALSE_MATCH_BITS: u32 = 30;

/// How long Bob waits for a greeting. Alice has read her file before she connects.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a party waits for the other otherwise, which may be computing a chunk on few cores.
const TIMEOUT: Duration = Duration::from_secs(300);

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Result<T> = std::result::Result<T, Failure>;

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

/// Returns `false` if the protocol found other items than the plain intersection.
fn run() -> Result<bool> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let subcommand = arguments.first().and_then(|first| first.to_str());
    match (subcommand, arguments.get(1..).unwrap_or_default()) {
        (Some("listen"), [file]) => listen(LOOPBACK, file.as_ref())?,
        (Some("listen"), [address, file]) => listen(text_of(address)?, file.as_ref())?,
        (Some("connect"), [address, file]) => connect(text_of(address)?, file.as_ref())?,
        (Some("items"), [count, shared, folder]) => {
            write_items(number_of(count)?, number_of(shared)?, folder.as_ref())?;
        }
        (Some("listen" | "connect" | "items"), _) => return Err(USAGE.into()),
        _ => return run_both_parties(&arguments),
    }
    Ok(true)
}

fn text_of(argument: &OsStr) -> Result<&str> {
    argument
        .to_str()
        .ok_or_else(|| format!("{}: not UTF-8", argument.display()).into())
}

fn number_of(argument: &OsStr) -> Result<usize> {
    let text = text_of(argument)?;
    text.parse()
        .map_err(|error| format!("{text}: {error}").into())
}

/// Reads a file.
fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Runs both parties as processes on the loopback interface. Returns whether they found the plain
/// intersection.
fn run_both_parties(arguments: &[OsString]) -> Result<bool> {
    let names = ["senders_22431083.txt", "senders_22431086.txt"];
    let mut files = names.map(|name| Path::new(DATA).join(name));
    if arguments.len() > files.len() {
        return Err(USAGE.into());
    }
    for (file, argument) in files.iter_mut().zip(arguments) {
        *file = PathBuf::from(argument);
    }
    for file in &files {
        File::open(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let start = Instant::now();
    let printed = intersection_by_processes(&files)?;
    let time = start.elapsed();

    let texts = [read(&files[0])?, read(&files[1])?];
    let [alice, bob] = [&texts[0], &texts[1]].map(|text| sorted_items(text));
    let expected = plain_intersection(&alice, &bob);
    let common: Vec<&[u8]> = lines(&printed).collect();
    println!("Alice has {} items, Bob has {}", alice.len(), bob.len());
    println!(
        "{} in common; the plain intersection has {}",
        common.len(),
        expected.len()
    );
    // For the example data, the engines take longer to start than to compute.
    println!(
        "both parties took {}, with the start of their processes",
        rate(alice.len() + bob.len(), time)
    );
    Ok(common == expected)
}

/// Returns the different items of a file in the order of their bytes.
fn sorted_items(text: &[u8]) -> Vec<&[u8]> {
    let mut items: Vec<&[u8]> = lines(text).collect();
    items.par_sort_unstable();
    items.dedup();
    items
}

/// Returns the items that are in both lists, of which the second is sorted.
fn plain_intersection<'a>(alice: &[&'a [u8]], bob: &[&[u8]]) -> Vec<&'a [u8]> {
    let is_common = |item: &&&[u8]| bob.binary_search(*item).is_ok();
    alice.par_iter().filter(is_common).copied().collect()
}

/// Returns what Alice's process prints.
fn intersection_by_processes([alice, bob]: &[PathBuf; 2]) -> Result<Vec<u8>> {
    let mut bob = Process::start("Bob", &[OsStr::new("listen"), bob.as_os_str()])?;
    let address = bob.address()?;
    let arguments = ["connect".as_ref(), address.as_ref(), alice.as_os_str()];
    let mut alice = Process::start("Alice", &arguments)?;
    let common = alice.output()?;
    bob.output()?;
    Ok(common)
}

/// A party as a process of this program, which ends with this value.
struct Process {
    name: &'static str,
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Process {
    fn start(name: &'static str, arguments: &[&OsStr]) -> Result<Self> {
        let mut child = Command::new(env::current_exe()?)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("the output is not piped")?;
        Ok(Process {
            name,
            child,
            output: BufReader::new(output),
        })
    }

    /// Returns the address at which the process listens, from its first line.
    fn address(&mut self) -> Result<String> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        match line.trim_end().strip_prefix(LISTENING) {
            Some(address) => Ok(address.to_owned()),
            None => Err(format!("{} does not listen", self.name).into()),
        }
    }

    /// Returns the output until the end of the process, which has to succeed.
    fn output(&mut self) -> Result<Vec<u8>> {
        let mut output = Vec::new();
        self.output.read_to_end(&mut output)?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(output)
        } else {
            Err(format!("the process of {} failed: {status}", self.name).into())
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails if the process has ended, as it should have.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The line that tells where Bob listens starts with this.
const LISTENING: &str = "listening on ";

/// The parties by what they do with the points of the other one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Connects, and learns the intersection.
    Alice,
    /// Listens, and returns Alice's points.
    Bob,
}

/// Takes part as Bob.
fn listen(address: &str, file: &Path) -> Result<()> {
    let listener = TcpListener::bind(address)
        .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    println!("{LISTENING}{}", listener.local_addr()?);
    let report = Report::new("Bob");
    let text = report.reading(file)?;
    let party = Party::prepare(Role::Bob, &text, &report)?;
    let (stream, _) = listener.accept()?;
    // One connection only.
    drop(listener);
    stream.set_read_timeout(Some(GREETING_TIMEOUT))?;
    party.exchange(&stream, &report)?;
    report.total(party.items.len());
    Ok(())
}

/// Takes part as Alice, and prints the common items in the order of their bytes.
fn connect(address: &str, file: &Path) -> Result<()> {
    let report = Report::new("Alice");
    let text = report.reading(file)?;
    let party = Party::prepare(Role::Alice, &text, &report)?;
    let stream = TcpStream::connect(address)
        .map_err(|error| format!("cannot connect to {address}: {error}"))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let masked = party.exchange(&stream, &report)?;
    let start = Instant::now();
    let common = party.common_items(masked);
    report.step("comparing", party.items.len(), start.elapsed());
    print_lines(&common)?;
    report.total(party.items.len());
    Ok(())
}

fn print_lines(lines: &[&[u8]]) -> Result<()> {
    let mut output = BufWriter::new(io::stdout().lock());
    for line in lines {
        output.write_all(line)?;
        output.write_all(b"\n")?;
    }
    output.flush()?;
    Ok(())
}

struct Party<'a> {
    role: Role,
    /// Different items, in an order that reveals nothing.
    items: Vec<&'a [u8]>,
    key: SecretKey,
    engine: Engine,
}

impl<'a> Party<'a> {
    /// Performs step 1, while the engine starts.
    fn prepare(role: Role, text: &'a [u8], report: &Report) -> Result<Self> {
        let timed_items = || timed(|| shuffled_items(text));
        let timed_engine = || timed(Engine::new);
        let ((items, preparing), (engine, starting)) = rayon::join(timed_items, timed_engine);
        let items = items?;
        if items.len() > MAX_ITEMS {
            return Err(format!("{} items, of at most {MAX_ITEMS}", items.len()).into());
        }
        report.step("shuffling", items.len(), preparing);
        let engine = engine?;
        report.line(&format!("{starting:.3?} to start: {engine}"));
        Ok(Party {
            role,
            items,
            key: SecretKey::generate(P256)?,
            engine,
        })
    }

    /// Performs steps 2 to 5 up to the comparison. Returns the points that Alice compares; Bob has
    /// none.
    fn exchange(&self, stream: &TcpStream, report: &Report) -> Result<MaskedByBoth> {
        stream.set_write_timeout(Some(TIMEOUT))?;
        // A chunk's header would otherwise delay its points.
        stream.set_nodelay(true)?;
        let theirs = greet(stream, self.items.len())?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let start = Instant::now();
        let session = Session {
            stream,
            role: self.role,
            compared_bytes: compared_bytes(self.items.len(), theirs),
        };
        let expected = Expected {
            masked: theirs,
            returned: match self.role {
                Role::Alice => self.items.len(),
                Role::Bob => 0,
            },
        };
        let mut times = Times::default();
        let masked = self.exchange_points(&session, expected, &mut times)?;
        report.exchange(&times, self.items.len(), theirs, start.elapsed());
        Ok(masked)
    }

    /// Runs the threads of this party.
    ///
    /// Full queues and sockets cannot block both parties: Alice's masking thread sends nothing, so
    /// she always goes on receiving. Therefore Bob always goes on sending, and so receiving, and
    /// therefore Alice on sending.
    fn exchange_points(
        &self,
        session: &Session,
        expected: Expected,
        times: &mut Times,
    ) -> Result<MaskedByBoth> {
        let first_failure = FirstFailure::new(session.stream);
        let failure = &first_failure;
        let mut masked = MaskedByBoth::default();
        let (to_peer, outgoing) = sync_channel(QUEUED);
        let (to_masking, incoming) = sync_channel(QUEUED);
        let answers = (self.role == Role::Bob).then(|| to_peer.clone());
        let Times {
            own,
            theirs,
            sending,
            receiving,
        } = times;
        thread::scope(|scope| {
            scope.spawn(move || failure.watch(session.send(&outgoing, sending)));
            scope.spawn(move || failure.watch(session.receive(expected, &to_masking, receiving)));
            scope.spawn(move || failure.watch(self.mask_own(&to_peer, own)));
            let masked = &mut masked;
            scope.spawn(move || {
                failure.watch(match answers {
                    Some(to_peer) => self.mask_and_return(session, &incoming, &to_peer, theirs),
                    None => self.collect(session, &incoming, masked, theirs),
                });
            });
        });
        first_failure.into_result()?;
        Ok(masked)
    }

    /// Masks the party's items and has them sent (step 3).
    fn mask_own(&self, to_peer: &SyncSender<Chunk>, time: &mut Duration) -> Result<()> {
        for items in self.items.chunks(self.chunk_items()) {
            let start = Instant::now();
            let form = Form::Compressed;
            let masked = mask::items(&self.engine, SUITE, DOMAIN, &self.key, items, form)?;
            let rows = rows_of(masked).map_err(|reason| format!("cannot mask items: {reason}"))?;
            *time += start.elapsed();
            let kind = Kind::Masked;
            if to_peer.send(Chunk { kind, rows }).is_err() {
                // The sender has failed, and reports why.
                break;
            }
        }
        Ok(())
    }

    /// Masks Alice's points and has them returned in her order (step 4).
    fn mask_and_return(
        &self,
        session: &Session,
        incoming: &Receiver<Chunk>,
        to_peer: &SyncSender<Chunk>,
        time: &mut Duration,
    ) -> Result<()> {
        for chunk in incoming {
            for points in chunk.points().chunks(self.chunk_items()) {
                let rows = self.mask_received(session, points, time)?;
                let kind = Kind::Returned;
                if to_peer.send(Chunk { kind, rows }).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Masks Bob's points (step 5), and keeps those that he returns.
    fn collect(
        &self,
        session: &Session,
        incoming: &Receiver<Chunk>,
        masked: &mut MaskedByBoth,
        time: &mut Duration,
    ) -> Result<()> {
        for chunk in incoming {
            match chunk.kind {
                Kind::Returned => masked.own.extend(session.comparable(&chunk.rows)),
                Kind::Masked => {
                    for points in chunk.points().chunks(self.chunk_items()) {
                        let rows = self.mask_received(session, points, time)?;
                        masked.theirs.extend(session.comparable(&rows));
                    }
                }
            }
        }
        Ok(())
    }

    /// Multiplies points of the other party by the key, in the form for comparisons. They are
    /// checked to be points of the curve.
    fn mask_received(
        &self,
        session: &Session,
        points: &[[u8; 33]],
        time: &mut Duration,
    ) -> Result<Vec<u8>> {
        let start = Instant::now();
        let form = session.form(Kind::Returned);
        let points = PublicKeys::compressed(points);
        let masked = mask::points(&self.engine, P256, &self.key, points, form)?;
        let rows = rows_of(masked)
            .map_err(|reason| format!("the other party sent a wrong point: {reason}"))?;
        *time += start.elapsed();
        Ok(rows)
    }

    /// Returns the number of items of a call, which take a GPU or all cores some hundredths of a
    /// second; cores without vector code, two seconds.
    fn chunk_items(&self) -> usize {
        let info = self.engine.info();
        if info.devices.is_empty() {
            MAX_CHUNK.min(info.threads << 12)
        } else {
            MAX_CHUNK
        }
    }

    /// Returns the party's items whose points are among those of the other party, sorted.
    fn common_items(&self, masked: MaskedByBoth) -> Vec<&'a [u8]> {
        let mut items: Vec<&[u8]> = positions_in_both(&masked.own, masked.theirs)
            .into_par_iter()
            .map(|item| self.items[item as usize])
            .collect();
        items.par_sort_unstable();
        items
    }
}

/// Returns the different items of a file, one per line, in a random order.
///
/// They are sorted by a digest of a random key and the item, which reveals nothing about the item
/// without the key. One sort both shuffles and puts equal items next to each other.
fn shuffled_items(text: &[u8]) -> Result<Vec<&[u8]>> {
    let mut key = [0; 32];
    getrandom::fill(&mut key)?;
    let keyed = Sha256::new_with_prefix(key);
    let mut items: Vec<(u128, &[u8])> = lines(text)
        .map(|line| (place_of(&keyed, line), line))
        .collect();
    items.par_sort_unstable_by_key(|(place, _)| *place);
    items.dedup_by_key(|(place, _)| *place);
    Ok(items.into_par_iter().map(|(_, line)| line).collect())
}

/// Returns the digest of an item with a key as a number.
fn place_of(keyed: &Sha256, item: &[u8]) -> u128 {
    first_16_bytes(&keyed.clone().chain_update(item).finalize())
}

/// Returns up to 16 bytes as a number, as if zeros followed them.
fn first_16_bytes(bytes: &[u8]) -> u128 {
    let mut first = [0; 16];
    let len = bytes.len().min(16);
    first[..len].copy_from_slice(&bytes[..len]);
    u128::from_be_bytes(first)
}

/// Iterates over the items of a file, which may occur twice.
fn lines(text: &[u8]) -> impl ParallelIterator<Item = &[u8]> {
    text.par_split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
}

/// Returns the rows of masked points, all of which have to be valid.
fn rows_of(masked: Masked) -> std::result::Result<Vec<u8>, gecc::Rejection> {
    if masked
        .codes()
        .iter()
        .any(|code| *code != Verdict::VALID_CODE)
    {
        masked.iter().try_for_each(|row| row.map(|_| ()))?;
    }
    Ok(masked.into_columns().0)
}

/// Truncated points that both parties have masked, as numbers.
#[derive(Default)]
struct MaskedByBoth {
    /// Of Alice's items, in her order.
    own: Vec<u128>,
    /// Of Bob's items, in his random order.
    theirs: Vec<u128>,
}

/// Returns the number of bytes of x that are compared. The probability that any two different points
/// agree in them is at most 2^-[`FALSE_MATCH_BITS`] (`docs/masking.md`, "Forms").
fn compared_bytes(own: usize, theirs: usize) -> u8 {
    let pairs = (own.max(1) as u128) * (theirs.max(1) as u128);
    let bits = FALSE_MATCH_BITS + pairs.next_power_of_two().ilog2();
    // With MAX_ITEMS on both sides, 12.
    bits.div_ceil(8) as u8
}

/// Returns the positions of those of our points that are among theirs.
fn positions_in_both(own: &[u128], mut theirs: Vec<u128>) -> Vec<u32> {
    let positions = 0..own.len() as u32;
    let mut own: Vec<(u128, u32)> = own.par_iter().copied().zip(positions).collect();
    rayon::join(|| own.par_sort_unstable(), || theirs.par_sort_unstable());
    own.par_chunks(1 << 14)
        .flat_map_iter(|part| merged(part, &theirs))
        .collect()
}

/// Merges two sorted lists, of which the first has at least one point.
fn merged<'a>(own: &'a [(u128, u32)], theirs: &'a [u128]) -> impl Iterator<Item = u32> + 'a {
    let start = theirs.partition_point(|point| *point < own[0].0);
    let mut theirs = theirs[start..].iter().peekable();
    own.iter()
        .filter(move |(point, _)| {
            while theirs.next_if(|their| *their < point).is_some() {}
            theirs.peek() == Some(&point)
        })
        .map(|(_, position)| *position)
}

/// The kind of the points in a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Items of the party that sends them, compressed.
    Masked = 1,
    /// Points of the party that receives them, truncated, in the order in which it sent them.
    Returned = 2,
}

/// Points as they are sent: kind (1 byte), number of points (4 bytes, big-endian), points.
struct Chunk {
    kind: Kind,
    rows: Vec<u8>,
}

impl Chunk {
    /// Returns the points of a chunk of compressed points.
    fn points(&self) -> &[[u8; 33]] {
        self.rows.as_chunks().0
    }
}

/// Exchanges greetings: magic number, version (1 byte), number of items (8 bytes, big-endian), suite
/// and domain, each with its length (1 byte). Returns the number of items of the other party.
fn greet(mut stream: &TcpStream, items: usize) -> Result<usize> {
    let mut greeting = MAGIC.to_vec();
    greeting.push(VERSION);
    greeting.extend((items as u64).to_be_bytes());
    for name in [SUITE.name().as_bytes(), DOMAIN] {
        greeting.push(name.len() as u8);
        greeting.extend(name);
    }
    stream.write_all(&greeting).map_err(network_failure)?;

    if read_array(stream)? != MAGIC {
        return Err("the other party does not speak this protocol (wrong magic number)".into());
    }
    let [version] = read_array(stream)?;
    if version != VERSION {
        return Err(format!("the other party has version {version}, expected {VERSION}").into());
    }
    let count = u64::from_be_bytes(read_array(stream)?);
    require_name(stream, "suite", SUITE.name().as_bytes())?;
    require_name(stream, "domain", DOMAIN)?;
    match usize::try_from(count) {
        Ok(count) if count <= MAX_ITEMS => Ok(count),
        _ => Err(format!("the other party has {count} items, of at most {MAX_ITEMS}").into()),
    }
}

fn require_name(stream: &TcpStream, what: &str, expected: &[u8]) -> Result<()> {
    let [len] = read_array(stream)?;
    let mut name = vec![0; len.into()];
    read_exact(stream, &mut name)?;
    if name == expected {
        return Ok(());
    }
    let name = name.escape_ascii();
    let expected = expected.escape_ascii();
    Err(format!("the other party has the {what} {name}, expected {expected}").into())
}

fn read_array<const N: usize>(stream: &TcpStream) -> Result<[u8; N]> {
    let mut bytes = [0; N];
    read_exact(stream, &mut bytes)?;
    Ok(bytes)
}

fn read_exact(mut stream: &TcpStream, buffer: &mut [u8]) -> Result<()> {
    stream.read_exact(buffer).map_err(network_failure)
}

fn network_failure(error: io::Error) -> Failure {
    match error.kind() {
        ErrorKind::UnexpectedEof
        | ErrorKind::BrokenPipe
        | ErrorKind::ConnectionReset
        | ErrorKind::NotConnected => "the other party closed the connection early".into(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut => "the other party does not respond".into(),
        _ => format!("the connection failed: {error}").into(),
    }
}

/// The points that the other party still has to send.
struct Expected {
    masked: usize,
    returned: usize,
}

impl Expected {
    fn is_nothing(&self) -> bool {
        self.masked == 0 && self.returned == 0
    }

    /// Subtracts the points of a chunk.
    fn subtract(&mut self, kind: Kind, count: usize) -> Result<()> {
        let left = match kind {
            Kind::Masked => &mut self.masked,
            Kind::Returned => &mut self.returned,
        };
        // A chunk without points would never end the stream.
        if count == 0 || count > MAX_CHUNK {
            return Err(format!(
                "the other party sent a chunk of {count} points, expected 1 to {MAX_CHUNK}"
            )
            .into());
        }
        *left = left.checked_sub(count).ok_or_else(|| {
            format!("the other party sent {count} points, of which {left} were left to send")
        })?;
        Ok(())
    }
}

/// A connection after the greetings.
struct Session<'a> {
    stream: &'a TcpStream,
    role: Role,
    compared_bytes: u8,
}

impl Session<'_> {
    fn form(&self, kind: Kind) -> Form {
        match kind {
            Kind::Masked => Form::Compressed,
            Kind::Returned => Form::Truncated(self.compared_bytes),
        }
    }

    /// Returns truncated points as numbers.
    fn comparable<'r>(&self, rows: &'r [u8]) -> impl Iterator<Item = u128> + 'r {
        rows.chunks_exact(self.compared_bytes.into())
            .map(first_16_bytes)
    }

    /// Sends chunks until there are no more, then closes this direction.
    fn send(&self, outgoing: &Receiver<Chunk>, time: &mut Duration) -> Result<()> {
        for Chunk { kind, rows } in outgoing {
            let start = Instant::now();
            let count = (rows.len() / self.form(kind).width()) as u32;
            let mut header = [kind as u8; 5];
            header[1..].copy_from_slice(&count.to_be_bytes());
            let mut stream = self.stream;
            stream.write_all(&header).map_err(network_failure)?;
            stream.write_all(&rows).map_err(network_failure)?;
            *time += start.elapsed();
        }
        self.stream
            .shutdown(Shutdown::Write)
            .map_err(network_failure)
    }

    /// Receives chunks until all points are there. Memory is allocated per chunk: the greeting may
    /// promise points that never come.
    fn receive(
        &self,
        mut expected: Expected,
        to_masking: &SyncSender<Chunk>,
        time: &mut Duration,
    ) -> Result<()> {
        while !expected.is_nothing() {
            let start = Instant::now();
            let (kind, count) = self.read_header()?;
            expected.subtract(kind, count)?;
            let mut rows = vec![0; count * self.form(kind).width()];
            read_exact(self.stream, &mut rows)?;
            *time += start.elapsed();
            if to_masking.send(Chunk { kind, rows }).is_err() {
                // The masking thread has failed, and reports why.
                return Ok(());
            }
        }
        self.require_end()
    }

    fn read_header(&self) -> Result<(Kind, usize)> {
        let [kind, count @ ..]: [u8; 5] = read_array(self.stream)?;
        let kind = match kind {
            1 => Kind::Masked,
            2 if self.role == Role::Alice => Kind::Returned,
            _ => return Err(format!("the other party sent a chunk of kind {kind}").into()),
        };
        Ok((kind, u32::from_be_bytes(count) as usize))
    }

    fn require_end(&self) -> Result<()> {
        let mut stream = self.stream;
        match stream.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err("the other party sent more points than it announced".into()),
            Err(error) => Err(network_failure(error)),
        }
    }
}

/// The first failure of the threads of a connection. Those that follow from it are of no interest.
struct FirstFailure<'a> {
    stream: &'a TcpStream,
    failure: OnceLock<Failure>,
}

impl<'a> FirstFailure<'a> {
    fn new(stream: &'a TcpStream) -> Self {
        FirstFailure {
            stream,
            failure: OnceLock::new(),
        }
    }

    /// Keeps a failure and closes the connection, so that the threads that wait for the other party
    /// end.
    fn watch(&self, result: Result<()>) {
        if let Err(failure) = result {
            let _ = self.failure.set(failure);
            let _ = self.stream.shutdown(Shutdown::Both);
        }
    }

    fn into_result(self) -> Result<()> {
        self.failure.into_inner().map_or(Ok(()), Err)
    }
}

/// The times that the threads of a party spent on their work. They overlap.
#[derive(Default)]
struct Times {
    own: Duration,
    theirs: Duration,
    sending: Duration,
    /// With waiting for the other party.
    receiving: Duration,
}

/// Reports the times of a party on standard error.
struct Report {
    party: &'static str,
    start: Instant,
}

impl Report {
    fn new(party: &'static str) -> Self {
        Report {
            party,
            start: Instant::now(),
        }
    }

    fn line(&self, text: &str) {
        eprintln!("{:5} {text}", self.party);
    }

    fn step(&self, name: &str, items: usize, time: Duration) {
        self.line(&format!("{name}: {}", rate(items, time)));
    }

    /// Reads a file.
    fn reading(&self, file: &Path) -> Result<Vec<u8>> {
        let (text, time) = timed(|| read(file));
        let text = text?;
        self.line(&format!("reading: {time:.3?} for {} bytes", text.len()));
        Ok(text)
    }

    fn exchange(&self, times: &Times, own: usize, theirs: usize, time: Duration) {
        self.step("masking own items", own, times.own);
        self.step("masking received points", theirs, times.theirs);
        self.line(&format!(
            "sending: {:.3?}; receiving, with waiting: {:.3?}",
            times.sending, times.receiving
        ));
        self.step("the whole exchange", own + theirs, time);
    }

    fn total(&self, items: usize) {
        self.step("total", items, self.start.elapsed());
    }
}

/// Returns a time, and the items per second.
fn rate(items: usize, time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let thousands = items as f64 / seconds.max(1e-9) / 1e3;
    format!("{seconds:.3} s for {items} items, {thousands:.1} k/s")
}

/// Returns a result and the time that it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed())
}

/// Writes two files with `count` items of 16 characters each, of which `shared` are in both.
fn write_items(count: usize, shared: usize, folder: &Path) -> Result<()> {
    if shared > count || count > MAX_ITEMS {
        return Err(format!("{shared} of {count} items cannot be shared").into());
    }
    let [count, shared] = [count, shared].map(|number| number as u64);
    let second = count - shared;
    for (name, numbers) in [("alice.txt", 0..count), ("bob.txt", second..second + count)] {
        let path = folder.join(name);
        let file = File::create(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut file = BufWriter::new(file);
        for number in numbers {
            writeln!(file, "{:016x}", scrambled(number))?;
        }
        file.flush()?;
    }
    Ok(())
}

/// A permutation of the numbers of 64 bits: SplitMix64 (Steele, Lea, Flood 2014).
fn scrambled(number: u64) -> u64 {
    let z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
