//! The parties of the example `ecdh_psi` as two processes, and with a peer that does not follow the
//! protocol.

use crate::harness::{self, Test, named};
use crate::programs::{command, scratch};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};
use std::thread;

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            alice_prints_the_intersection,
            an_empty_list_has_no_intersection,
            generated_lists_share_the_requested_items,
            bob_reports_a_peer_that_does_not_follow_the_protocol,
            alice_reports_a_peer_that_does_not_follow_the_protocol
        ],
    )
}

const SUITE: &str = "P256_XMD:SHA-256_SSWU_RO_";
const DOMAIN: &str = "gecc-example-ecdh_psi-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_";

/// The generator of P-256, compressed (SEC 2, section 2.4.2).
const GENERATOR: &str = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";

/// A row whose first byte is that of no compressed point.
const NOT_A_POINT: [u8; 33] = [0xff; 33];

/// Bob's process, and the address at which it listens.
struct Bob {
    process: Child,
    address: String,
}

impl Bob {
    fn start(file: &Path) -> Self {
        let mut process = command("ecdh_psi")
            .arg("listen")
            .arg(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the example starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("piped"))
            .read_line(&mut line)
            .expect("readable");
        let address = line.strip_prefix("listening on ").expect("an address");
        Bob {
            process,
            address: address.trim_end().to_owned(),
        }
    }

    fn finish(self) -> Output {
        self.process.wait_with_output().expect("Bob ends")
    }
}

fn alice(address: &str, file: &Path) -> Output {
    command("ecdh_psi")
        .args(["connect", address])
        .arg(file)
        .output()
        .expect("the example runs")
}

/// Writes a list into the folder of a test.
fn list(test: &str, name: &str, text: &str) -> PathBuf {
    let path = scratch(&format!("psi-{test}")).join(name);
    fs::write(&path, text).expect("writable");
    path
}

/// Returns what the parties print who have these files.
fn intersection(alices: &Path, bobs: &Path) -> String {
    let bob = Bob::start(bobs);
    let output = alice(&bob.address, alices);
    assert_success(&output);
    assert_success(&bob.finish());
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn assert_success(output: &Output) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

/// Neither duplicates, the order, space nor the absence of the last newline matters.
fn alice_prints_the_intersection() {
    let mut alices = String::from("\n7\r\n  7\n");
    let mut bobs = String::from("\n \n7\n7\n");
    for number in (0..90).rev() {
        alices += &format!("item {}\n", 2 * number);
        bobs += &format!("item {} \n", 3 * number);
    }
    bobs += "last";
    alices += "last";
    let mut expected: BTreeSet<String> = (0..30).map(|n| format!("item {}", 6 * n)).collect();
    expected.extend(["7", "last"].map(str::to_owned));

    let test = "intersection";
    let printed = intersection(&list(test, "alice", &alices), &list(test, "bob", &bobs));
    assert!(printed.lines().eq(&expected), "{printed}");
}

fn an_empty_list_has_no_intersection() {
    let test = "empty";
    let empty = list(test, "empty", "\n");
    let one = list(test, "one", "item\n");
    assert_eq!(intersection(&empty, &one), "");
    assert_eq!(intersection(&one, &empty), "");
}

fn generated_lists_share_the_requested_items() {
    let folder = scratch("psi-generated");
    let output = command("ecdh_psi")
        .args(["items", "1000", "300"])
        .arg(&folder)
        .output();
    assert_success(&output.expect("the example runs"));
    let texts =
        ["alice.txt", "bob.txt"].map(|name| fs::read_to_string(folder.join(name)).expect("a list"));
    let [alice, bob]: [BTreeSet<&str>; 2] =
        [&texts[0], &texts[1]].map(|text| text.lines().collect());
    assert_eq!((alice.len(), bob.len()), (1000, 1000));
    assert_eq!(alice.intersection(&bob).count(), 300);
}

fn greeting(version: u8, items: u64, suite: &str, domain: &str) -> Vec<u8> {
    let mut bytes = b"gecc-psi".to_vec();
    bytes.push(version);
    bytes.extend(items.to_be_bytes());
    for name in [suite, domain] {
        bytes.push(name.len() as u8);
        bytes.extend(name.as_bytes());
    }
    bytes
}

fn chunk(kind: u8, count: u32, points: &[u8]) -> Vec<u8> {
    [&[kind], &count.to_be_bytes()[..], points].concat()
}

fn generator() -> Vec<u8> {
    hex::decode(GENERATOR).expect("hex")
}

/// Greets properly as a party of `items` items, then sends these chunks.
fn after_greeting(items: u64, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = greeting(1, items, SUITE, DOMAIN);
    bytes.extend(chunks.concat());
    bytes
}

/// Sends bytes, ends that direction, and waits for the end of the other one.
fn send_and_wait(mut stream: TcpStream, bytes: &[u8]) {
    // The party may have closed the connection before it has read everything.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let _ = stream.read_to_end(&mut Vec::new());
}

fn assert_complains(output: &Output, complaint: &str) {
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{complaint}: {text}");
    assert!(text.contains("error: "), "{complaint}: {text}");
    assert!(text.contains(complaint), "{complaint:?} is not in\n{text}");
    assert!(!text.contains("panicked"), "{text}");
}

/// A peer that sends these bytes, and the complaint about it.
type WrongPeer = (Vec<u8>, &'static str);

fn wrong_greetings() -> Vec<WrongPeer> {
    vec![
        (Vec::new(), "closed the connection early"),
        (b"gecc-psi".to_vec(), "closed the connection early"),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), "wrong magic number"),
        (greeting(9, 1, SUITE, DOMAIN), "version 9, expected 1"),
        (
            greeting(1, 1, "P256_XMD:SHA-256_SSWU_NU_", DOMAIN),
            "suite P256_XMD:SHA-256_SSWU_NU_, expected P256_XMD:SHA-256_SSWU_RO_",
        ),
        (greeting(1, 1, SUITE, "other"), "domain other, expected"),
        (
            greeting(1, u64::MAX, SUITE, DOMAIN),
            "18446744073709551615 items, of at most",
        ),
    ]
}

fn bob_reports_a_peer_that_does_not_follow_the_protocol() {
    let point = generator();
    let one = |point: &[u8]| chunk(1, 1, point);
    let mut peers = wrong_greetings();
    peers.extend([
        // Memory for what the greeting promises is not allocated.
        (after_greeting(1 << 30, &[]), "closed the connection early"),
        (
            after_greeting(2, &[one(&point)]),
            "closed the connection early",
        ),
        (
            after_greeting(1, &[one(&point[..20])]),
            "closed the connection early",
        ),
        (
            after_greeting(1, &[chunk(1, 2, &point.repeat(2))]),
            "2 points, of which 1 were left to send",
        ),
        (
            after_greeting(1, &[one(&point), one(&point)]),
            "sent more points than it announced",
        ),
        (
            after_greeting(1, &[chunk(1, 0, &[])]),
            "a chunk of 0 points",
        ),
        (
            after_greeting(1 << 30, &[chunk(1, u32::MAX, &[])]),
            "a chunk of 4294967295 points",
        ),
        (
            after_greeting(1, &[chunk(2, 1, &point)]),
            "a chunk of kind 2",
        ),
        (
            after_greeting(1, &[one(&NOT_A_POINT)]),
            "sent a wrong point: ",
        ),
    ]);
    let file = list("bob", "bob", "item\n");
    for (bytes, complaint) in peers {
        let bob = Bob::start(&file);
        let stream = TcpStream::connect(&bob.address).expect("Bob listens");
        send_and_wait(stream, &bytes);
        assert_complains(&bob.finish(), complaint);
    }
}

fn alice_reports_a_peer_that_does_not_follow_the_protocol() {
    let masked = chunk(1, 1, &generator());
    // Points are compared by 4 bytes if there is one on either side.
    let returned = chunk(2, 1, &[0; 4]);
    let mut peers = wrong_greetings();
    peers.extend([
        (
            after_greeting(1, std::slice::from_ref(&masked)),
            "closed the connection early",
        ),
        (
            after_greeting(1, &[masked.clone(), chunk(2, 2, &[0; 8])]),
            "2 points, of which 1 were left to send",
        ),
        (
            after_greeting(1, &[masked, returned.clone(), vec![0]]),
            "sent more points than it announced",
        ),
        (
            after_greeting(1, &[chunk(1, 1, &NOT_A_POINT), returned]),
            "sent a wrong point: ",
        ),
    ]);
    let file = list("alice", "alice", "item\n");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    for (bytes, complaint) in peers {
        let output = thread::scope(|scope| {
            scope.spawn(|| {
                let (stream, _) = listener.accept().expect("Alice connects");
                send_and_wait(stream, &bytes);
            });
            alice(&address, &file)
        });
        assert_complains(&output, complaint);
    }
    drop(listener);
    assert_complains(&alice(&address, &file), "cannot connect to 127.0.0.1:");
}
