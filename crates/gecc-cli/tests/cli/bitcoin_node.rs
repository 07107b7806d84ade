//! A node that answers like the REST interface of Bitcoin Core, with the blocks of the examples,
//! and nodes that fail.

use crate::support::{answers, code, run, start, stderr};
use gecc::fields::Hash;
use serde_json::Value;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Blocks that the node has.
const BLOCKS: u64 = 60;
const NAMES: [&str; 2] = ["block300025", "block1087400"];

fn example(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data/bitcoin")
        .join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// A number of Bitcoin's encoding at the start, and its length in bytes.
fn number(bytes: &[u8]) -> (usize, usize) {
    match bytes[0] {
        0xfd => (u16::from_le_bytes([bytes[1], bytes[2]]).into(), 3),
        short => (short.into(), 1),
    }
}

fn encoded(number: usize) -> Vec<u8> {
    if number < 0xfd {
        vec![number as u8]
    } else {
        [&[0xfd][..], &(number as u16).to_le_bytes()].concat()
    }
}

struct Block {
    /// The hash as in URLs.
    hash: String,
    bytes: Vec<u8>,
    spent: Vec<u8>,
}

impl Block {
    /// The outputs that it spends are grouped by transaction, as the inputs are in the answers for
    /// its files. The block is of version 1, which states no height: the node has it at several.
    fn new(name: &str, folder: &Path) -> (Self, Vec<Value>) {
        let mut bytes = fs::read(example(&format!("{name}.raw"))).unwrap();
        let outputs = fs::read(example(&format!("{name}-undo.raw"))).unwrap();
        bytes[..4].copy_from_slice(&1_u32.to_le_bytes());
        let path = folder.join(format!("{name}.raw"));
        fs::write(&path, &bytes).unwrap();
        fs::write(folder.join(format!("{name}-undo.raw")), &outputs).unwrap();
        let found = answers(&run(
            &["bitcoin", "verify", "--quiet", path.to_str().unwrap()],
            "",
        ));
        assert!(found.iter().all(|answer| answer.get("block").is_none()));
        let groups: Vec<&[Value]> = found
            .chunk_by(|one, next| one["txid"] == next["txid"])
            .collect();
        let mut spent = [encoded(groups.len() + 1), vec![0]].concat();
        let mut rest = outputs.as_slice();
        for group in groups {
            spent.extend(encoded(group.len()));
            for _ in group {
                let (script, length) = number(&rest[8..]);
                let (output, remaining) = rest.split_at(8 + length + script);
                spent.extend(output);
                rest = remaining;
            }
        }
        assert!(rest.is_empty());
        let mut hash = Hash::Sha256d.digest(&bytes[..80]).unwrap();
        hash.reverse();
        (
            Block {
                hash: hex::encode(hash),
                bytes,
                spent,
            },
            found,
        )
    }
}

/// A chain of both blocks in turn, in which every header names the previous block.
fn chain(blocks: [&Block; 2]) -> Vec<Block> {
    let mut before = [0; 32];
    (0..BLOCKS)
        .map(|height| {
            let Block { bytes, spent, .. } = blocks[height as usize % 2];
            let mut bytes = bytes.clone();
            bytes[4..36].copy_from_slice(&before);
            before = Hash::Sha256d.digest(&bytes[..80]).unwrap();
            let hash: Vec<u8> = before.iter().rev().copied().collect();
            Block {
                hash: hex::encode(hash),
                bytes,
                spent: spent.clone(),
            }
        })
        .collect()
}

/// The response to a path: a status with its text, and a body. The part before `/rest/` selects the
/// failure.
fn answer(blocks: &[Block], path: &str) -> (&'static str, Vec<u8>) {
    let (wrong, asked) = path
        .trim_start_matches('/')
        .split_once("rest/")
        .expect("a path of REST");
    let (what, of) = asked.split_once('/').unwrap_or((asked, ""));
    let of = of.trim_end_matches(".bin");
    let block = || {
        blocks
            .iter()
            .find(|block| block.hash == of)
            .expect("a block that is there")
    };
    let refused = |what: &str| ("404 Not Found", format!("{what}\r\n").into_bytes());
    let body = match (what, wrong) {
        (_, "none/") => return ("404 Not Found", Vec::new()),
        (_, "moved/") => return ("301 Moved Permanently", Vec::new()),
        ("chaininfo.json", "chain/") => b"{\"chain\":\"liquid\"}".to_vec(),
        ("chaininfo.json", _) => b"{\"chain\":\"main\",\"blocks\":59}".to_vec(),
        ("blockhashbyheight", "height/") => Hash::Sha256d
            .digest(&fs::read(example("block300025.raw")).unwrap()[..80])
            .unwrap()
            .to_vec(),
        ("blockhashbyheight", _) => match of.parse::<u64>().unwrap() {
            height if height < BLOCKS => {
                let is_of_other = wrong == "fork/" && height >= 12;
                let block = &blocks[height as usize + if is_of_other { 2 } else { 0 }];
                hex::decode(&block.hash)
                    .unwrap()
                    .into_iter()
                    .rev()
                    .collect()
            }
            _ => return refused("Block height out of range"),
        },
        ("block", "long/") => vec![1; 4_000_001],
        ("block", "other/") => blocks
            .iter()
            .find(|block| block.hash != of)
            .unwrap()
            .bytes
            .clone(),
        ("block", "cut/") => block().bytes[..1000].to_vec(),
        ("block", "height/") => fs::read(example("block300025.raw")).unwrap(),
        ("block", _) => block().bytes.clone(),
        ("spenttxouts", "pruned/") => return refused(&format!("{of} undo not available")),
        ("spenttxouts", "height/") => blocks[0].spent.clone(),
        ("spenttxouts", "old/") => return ("404 Not Found", Vec::new()),
        ("spenttxouts", "short/") => block().spent[..block().spent.len() - 1].to_vec(),
        ("spenttxouts", "more/") => [&block().spent[..], &[0]].concat(),
        ("spenttxouts", "less/") => vec![1, 0],
        ("spenttxouts", "many/") => [&[0xff; 9][..], &block().spent].concat(),
        ("spenttxouts", _) => block().spent.clone(),
        other => panic!("{other:?}"),
    };
    ("200 OK", body)
}

/// Answers requests on a connection. The very first request gets a response that it is too early,
/// and some responses end early.
fn serve(stream: TcpStream, blocks: &[Block], requests: &AtomicU32) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?);
    let mut to = stream;
    loop {
        let mut first = String::new();
        let mut line = String::new();
        if lines.read_line(&mut first)? == 0 {
            return Ok(());
        }
        while lines.read_line(&mut line)? > 2 {
            line.clear();
        }
        let path = first.split(' ').nth(1).expect("a path");
        let request = requests.fetch_add(1, Ordering::Relaxed);
        let (status, body) = match request {
            0 => (
                "503 Service Unavailable",
                b"Loading block index\r\n".to_vec(),
            ),
            _ => answer(blocks, path),
        };
        write!(
            to,
            "HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        )?;
        if request == 9 {
            return to.write_all(&body[..body.len() / 2]);
        }
        to.write_all(&body)?;
    }
}

#[test]
fn blocks_of_a_node_have_the_answers_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let [(one, of_one), (two, of_two)] = NAMES.map(|name| Block::new(name, folder.path()));
    let blocks = Arc::new(chain([&one, &two]));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&requests);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let blocks = Arc::clone(&blocks);
            let requests = Arc::clone(&counted);
            thread::spawn(move || serve(stream.unwrap(), &blocks, &requests));
        }
    });
    let verify = |wrong: &str, from: &str, to: &str| {
        run(
            &[
                "bitcoin",
                "verify",
                "--rest-url",
                &format!("{url}{wrong}"),
                "--from",
                from,
                "--to",
                to,
            ],
            "",
        )
    };
    let output = verify("", "10", "0x15");
    let expected: Vec<Value> = (0..6)
        .flat_map(|_| [&of_one, &of_two])
        .flatten()
        .cloned()
        .collect();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(answers(&output) == expected && expected.len() > 6000);
    // A missing block ends the range after the blocks that exist.
    let output = verify("/", "58", "200");
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, of_one.len() + of_two.len()),
        "{}",
        stderr(&output)
    );
    let message = "block 60: the node answered 404 Not Found: Block height out of range";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    // The node switches to another chain.
    let output = verify("/fork", "10", "13");
    assert!(
        code(&output) == 2 && answers(&output) == expected[..2 * (of_one.len() + of_two.len())]
    );
    let messages = [
        "at block 12: it does not follow the block before it",
        "1  places of files could not be read",
    ];
    assert!(
        messages
            .iter()
            .all(|message| stderr(&output).contains(message)),
        "{}",
        stderr(&output)
    );
    // The range covers all heights, and its first block is unavailable.
    let output = verify("/pruned", "0", "18446744073709551615");
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("block 0: "), "{}", stderr(&output));
    for (wrong, problem) in [
        (
            "/none",
            "404 Not Found: bitcoind serves REST with the option -rest",
        ),
        ("/old", "since version 30"),
        ("/moved", "the node answered 301 Moved Permanently"),
        (
            "/chain",
            "the node is on the chain `liquid`, which is not supported",
        ),
        ("/long", "block 0: the answer has more than 4000000 bytes"),
        ("/other", "the node returned another block than"),
        ("/cut", "at block 0: the encoding ends too early"),
        ("/pruned", "undo not available"),
        (
            "/short",
            "at block 0: an output that was spent ends too early",
        ),
        (
            "/more",
            "at block 0: 1 bytes follow the outputs that were spent",
        ),
        ("/less", "but 0 spent outputs are given"),
        ("/many", "at block 0: "),
    ] {
        let before = requests.load(Ordering::Relaxed);
        let output = verify(wrong, "0", "0");
        // One request each for the chain, a block's hash, the block and its spent outputs; no
        // request is repeated.
        let asked = requests.load(Ordering::Relaxed) - before;
        assert!(asked <= 4, "{wrong}: {asked}");
        assert_eq!(
            (code(&output), answers(&output).len()),
            (2, 0),
            "{wrong}: {}",
            stderr(&output)
        );
        assert!(
            stderr(&output).contains(problem),
            "{wrong}: {}",
            stderr(&output)
        );
    }
    // The height that a block states is checked.
    let output = verify("/height", "300025", "300025");
    assert_eq!(
        (code(&output), answers(&output).len()),
        (0, of_one.len()),
        "{}",
        stderr(&output)
    );
    let output = verify("/height", "300026", "300026");
    assert_eq!(
        (code(&output), answers(&output).len()),
        (2, 0),
        "{}",
        stderr(&output)
    );
    let message = "at block 300026: the node returned a block of height 300025 for height 300026";
    assert!(stderr(&output).contains(message), "{}", stderr(&output));
    // The part after the host may be a key.
    for wrong in ["/none", "/cut", "/fork"] {
        let output = verify(wrong, "12", "12");
        assert!(!stderr(&output).contains(wrong), "{}", stderr(&output));
    }
    for (option, command) in [
        ("--rest-url", ["bitcoin", "verify"]),
        ("--rpc-url", ["ethereum", "senders"]),
    ] {
        for secret in [
            "http://user:5ec2e7@127.0.0.1:1/",
            "5ec2e7:8332/v1",
            "ftp://node/5ec2e7",
        ] {
            let output = run(
                &[&command[..], &[option, secret, "--from", "1", "--to", "2"]].concat(),
                "",
            );
            assert!(
                code(&output) == 2 && stderr(&output).contains(option),
                "{}",
                stderr(&output)
            );
            assert!(!stderr(&output).contains("5ec2e7"), "{}", stderr(&output));
        }
    }
    for (arguments, problem) in [
        (
            &[
                "--rest-url",
                &url,
                "--magic",
                "a5df2dcb",
                "--from",
                "1",
                "--to",
                "2",
            ][..],
            "cannot be used with",
        ),
        (&["--rest-url", &url, "--from", "1"], "--to"),
        (
            &["--rest-url", &url, "--from", "1", "--to", "2", "blocks"],
            "cannot be used with",
        ),
        (
            &["--rest-url", "localhost:8332", "--from", "1", "--to", "2"],
            "not a URL such as",
        ),
        (&[], "<PATHS>"),
    ] {
        let refused = run(&[&["bitcoin", "verify"], arguments].concat(), "");
        assert!(
            code(&refused) == 2 && stderr(&refused).contains(problem),
            "{}",
            stderr(&refused)
        );
    }
    #[cfg(target_os = "linux")]
    {
        let arguments = [
            "bitcoin",
            "verify",
            "--rest-url",
            &url,
            "--from",
            "10",
            "--to",
            "11",
        ];
        crate::support::some_threads_cannot_be_started(&arguments, of_one.len() + of_two.len());
    }
    #[cfg(feature = "arrow")]
    {
        let [of_node, of_files] =
            ["node.parquet", "files.parquet"].map(|name| folder.path().join(name));
        let paths = NAMES.map(|name| {
            folder
                .path()
                .join(format!("{name}.raw"))
                .to_str()
                .unwrap()
                .to_owned()
        });
        let from_node = ["--rest-url", &url, "--from", "0", "--to", "1"];
        for (table, from) in [
            (&of_node, &from_node[..]),
            (&of_files, &[paths[0].as_str(), &paths[1]]),
        ] {
            let output = run(
                &[&["bitcoin", "index", "-o", table.to_str().unwrap()], from].concat(),
                "",
            );
            assert_eq!(code(&output), 0, "{}", stderr(&output));
        }
        assert!(fs::read(of_node).unwrap() == fs::read(of_files).unwrap());
    }
}

#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    use rustix::process::{Pid, Signal, kill_process};
    kill_process(Pid::from_child(child), Signal::INT).unwrap();
}

/// The command is interrupted while it waits.
#[cfg(unix)]
#[test]
fn hanging_node_does_not_block_an_interrupt() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    for command in [
        ["bitcoin", "verify", "--rest-url"],
        ["ethereum", "senders", "--rpc-url"],
    ] {
        let child = start(&[&command[..], &[&url, "--from", "1", "--to", "100"]].concat());
        let connection = listener.accept().unwrap();
        let interrupted = Instant::now();
        interrupt(&child);
        let output = child.wait_with_output().unwrap();
        assert!(
            code(&output) == 130 && stderr(&output).contains("gecc: interrupted"),
            "{}",
            stderr(&output)
        );
        assert!(
            interrupted.elapsed() < Duration::from_secs(20),
            "{:?}",
            interrupted.elapsed()
        );
        drop(connection);
    }
}

/// An interrupted index keeps its rows in a table that can be read.
#[cfg(all(unix, feature = "arrow"))]
#[test]
fn index_keeps_rows_after_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let block = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../gecc-chains/tests/data/block866342.raw.zst");
    let table = folder.path().join("table.arrow");
    // The repeated blocks take far longer than the time until the interrupt.
    let blocks = [block.to_str().unwrap(); 500];
    let mut child = start(
        &[
            &[
                "bitcoin",
                "index",
                "--max-memory",
                "1M",
                "-o",
                table.to_str().unwrap(),
            ],
            &blocks[..],
        ]
        .concat(),
    );
    let part = || {
        fs::read_dir(folder.path())
            .unwrap()
            .map(Result::unwrap)
            .find(|entry| entry.path().is_file())
    };
    while part().is_none_or(|part| part.metadata().unwrap().len() < 4096) {
        assert!(child.try_wait().unwrap().is_none(), "it ended before");
        thread::sleep(Duration::from_millis(1));
    }
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert!(
        code(&output) == 130 && stderr(&output).contains("the answers up to there are in"),
        "{}",
        stderr(&output)
    );
    let kept = gecc_arrow::open(part().unwrap().path(), Default::default()).unwrap();
    let batches = kept.batches(&gecc_arrow::Projection::All).unwrap();
    assert!(
        !table.exists()
            && batches
                .map(|batch| batch.unwrap().num_rows())
                .sum::<usize>()
                > 0
    );
}
