//! Blocks from a node that answers JSON-RPC: they are asked for in batches, some at a time, and come through a pipe in
//! order, an answer a line.
//!
//! HTTP/1.1 (RFC 9112) as far as nodes use it, over plain TCP: a node on this machine, or at the other end of a tunnel.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::ops::RangeInclusive;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Blocks that are asked for at once, and requests that are under way.
const BLOCKS: u64 = 16;
const REQUESTS: usize = 8;
/// Bytes of an answer at most, and of a line of its head.
const LONGEST: u64 = 512 << 20;
const LONGEST_LINE: u64 = 1 << 16;
/// How often a request is made that fails, and how long the first pause is; each is twice as long as the one before.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);
/// How long nothing may come, and how often it is asked meanwhile whether it is still wanted.
const PATIENCE: Duration = Duration::from_secs(60);
const GLANCE: Duration = Duration::from_millis(500);

/// Where a node answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// With the port.
    host: String,
    path: String,
}

impl FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rest = match text.split_once("://") {
            Some(("http", rest)) => rest,
            Some(("https", _)) => {
                return Err("TLS is not spoken here: name the node itself by http, or a tunnel to it, as of `ssh -L`"
                    .to_owned());
            }
            _ => return Err("a URL such as http://localhost:8545".to_owned()),
        };
        let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
        if host.is_empty() || host.contains('@') || text.contains(char::is_whitespace) {
            return Err("a URL such as http://localhost:8545".to_owned());
        }
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let host = if has_port { host.to_owned() } else { format!("{host}:80") };
        Ok(Url { host, path: format!("/{path}") })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "http://{}{}", self.host, self.path)
    }
}

/// Blocks that are being asked for.
pub struct Node {
    reader: PipeReader,
    is_over: Arc<AtomicBool>,
}

impl Node {
    /// Begins to ask for blocks.
    pub fn ask(url: &Url, blocks: RangeInclusive<u64>, interrupted: &'static AtomicBool) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let asking = Asking { url: url.clone(), is_over: Arc::clone(&is_over), interrupted };
        // Not waited for: it ends when nobody reads what it writes.
        thread::Builder::new().name("gecc-node".to_owned()).spawn(move || asking.all(blocks, writer))?;
        Ok(Node { reader, is_over })
    }

    /// Where the answers can be read, as long as this value is there.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/fd/{}", self.reader.as_raw_fd()))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Lines of blocks, or the one that says why there are none.
type Answered = Result<Vec<u8>, Vec<u8>>;

/// What all requests have in common.
struct Asking {
    url: Url,
    is_over: Arc<AtomicBool>,
    interrupted: &'static AtomicBool,
}

impl Asking {
    fn is_wanted(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed)
    }

    /// Writes the answers to all blocks, in order. Ends with an answer that is an error where blocks cannot be had.
    fn all(&self, blocks: RangeInclusive<u64>, mut to: PipeWriter) {
        let (first, last) = blocks.into_inner();
        let batches = (last - first) / BLOCKS + 1;
        thread::scope(|scope| {
            let answers: Vec<Receiver<Answered>> = (0..REQUESTS as u64)
                .map(|worker| {
                    let (to, from) = sync_channel(1);
                    scope.spawn(move || {
                        for batch in (worker..batches).step_by(REQUESTS) {
                            let start = first + batch * BLOCKS;
                            if !self.batch(start..=last.min(start + (BLOCKS - 1)), &to) {
                                return;
                            }
                        }
                    });
                    from
                })
                .collect();
            for batch in 0..batches {
                let Ok(answered) = answers[(batch % REQUESTS as u64) as usize].recv() else { break };
                let (lines, goes_on) = match answered {
                    Ok(lines) => (lines, true),
                    Err(line) => (line, false),
                };
                if !self.is_wanted() || to.write_all(&lines).is_err() || !goes_on {
                    break;
                }
            }
            // Those that wait to hand on are told by this.
            drop(answers);
        });
    }

    /// Hands on the answers to some blocks, a line each. Whether more is wanted.
    fn batch(&self, blocks: RangeInclusive<u64>, to: &SyncSender<Answered>) -> bool {
        let mut pause = PAUSE;
        for attempt in 1.. {
            let answered = self.request(&blocks).map_err(Failed::for_now).and_then(|answer| lines(&answer, &blocks));
            match answered {
                Ok(lines) => return to.send(Ok(lines)).is_ok(),
                Err(Failed { problem, is_for_good }) if is_for_good || attempt == TRIES => {
                    let what = format!("{}, blocks {} to {}: {problem}", self.url, blocks.start(), blocks.end());
                    let _ = to.send(Err(format!("{}\n", json!({"error": {"message": what}})).into_bytes()));
                    return false;
                }
                Err(_) if !self.is_wanted() => return false,
                Err(_) => thread::sleep(pause),
            }
            pause *= 2;
        }
        false
    }

    /// The body of the answer to one request.
    fn request(&self, blocks: &RangeInclusive<u64>) -> Result<Vec<u8>, String> {
        let call = |block: u64| json!({"jsonrpc": "2.0", "id": block, "method": "eth_getBlockByNumber", "params": [format!("{block:#x}"), true]});
        let body = blocks.clone().map(call).collect::<Value>().to_string();
        let mut stream = connect(&self.url.host).map_err(|problem| problem.to_string())?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.url.path,
            self.url.host,
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .map_err(|problem| problem.to_string())?;
        answer(BufReader::new(Patient { stream, asking: self }))
    }
}

fn connect(host: &str) -> io::Result<TcpStream> {
    let mut failed = io::Error::from(io::ErrorKind::NotFound);
    for address in host.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                stream.set_read_timeout(Some(GLANCE))?;
                stream.set_write_timeout(Some(PATIENCE))?;
                return Ok(stream);
            }
            Err(problem) => failed = problem,
        }
    }
    Err(failed)
}

/// Waits for bytes as long as they are wanted.
struct Patient<'a> {
    stream: TcpStream,
    asking: &'a Asking,
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let started = Instant::now();
        loop {
            match self.stream.read(buffer) {
                Err(problem)
                    if matches!(problem.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
                        && started.elapsed() < PATIENCE
                        && self.asking.is_wanted() => {}
                read => return read,
            }
        }
    }
}

/// The body of an answer that is no error of HTTP.
fn answer(mut from: impl BufRead) -> Result<Vec<u8>, String> {
    let status = line(&mut from)?;
    let code = status.split(' ').nth(1).unwrap_or_default();
    if code != "200" {
        return Err(format!("the node answered {status:?}"));
    }
    let (mut length, mut is_chunked) = (None, false);
    loop {
        let header = line(&mut from)?;
        let Some((name, value)) = header.split_once(':') else { break };
        if name.eq_ignore_ascii_case("content-length") {
            length = Some(value.trim().parse::<u64>().map_err(|_| "the answer has no length".to_owned())?);
        }
        is_chunked |= name.eq_ignore_ascii_case("transfer-encoding") && value.trim().eq_ignore_ascii_case("chunked");
    }
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = line(&mut from)?;
            let size = u64::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
            let size = size.map_err(|_| "the answer has a chunk without its size".to_owned())?;
            if size == 0 {
                return Ok(body);
            }
            append(&mut from, size, &mut body)?;
            line(&mut from)?;
        }
    }
    match length {
        Some(length) => append(&mut from, length, &mut body)?,
        None => {
            from.take(LONGEST).read_to_end(&mut body).map_err(|problem| problem.to_string())?;
        }
    }
    Ok(body)
}

fn append(from: &mut impl BufRead, length: u64, to: &mut Vec<u8>) -> Result<(), String> {
    if length.saturating_add(to.len() as u64) > LONGEST {
        return Err(format!("the answer has more than {LONGEST} bytes"));
    }
    let read = from.take(length).read_to_end(to).map_err(|problem| problem.to_string())?;
    if read as u64 == length { Ok(()) } else { Err("the answer ends early".to_owned()) }
}

fn line(from: &mut impl BufRead) -> Result<String, String> {
    let mut line = String::new();
    from.take(LONGEST_LINE).read_line(&mut line).map_err(|problem| problem.to_string())?;
    match line.strip_suffix('\n') {
        Some(line) => Ok(line.trim_end_matches('\r').to_owned()),
        None => Err("the answer ends in its head".to_owned()),
    }
}

/// Why there are no blocks.
#[derive(Debug)]
struct Failed {
    problem: String,
    /// Whether the same request would fail again.
    is_for_good: bool,
}

impl Failed {
    fn for_now(problem: String) -> Self {
        Failed { problem, is_for_good: false }
    }

    fn for_good(problem: String) -> Self {
        Failed { problem, is_for_good: true }
    }
}

/// An answer to one call.
#[derive(Deserialize)]
struct Called<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal<'a>>,
}

#[derive(Deserialize)]
struct Refusal<'a> {
    code: Option<i64>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

/// Blocks a line each, in their order, whatever that of the answers is.
fn lines(body: &[u8], blocks: &RangeInclusive<u64>) -> Result<Vec<u8>, Failed> {
    /// Codes of JSON-RPC 2.0, section 5.1, from "invalid params" to "invalid request".
    const OF_REQUEST: RangeInclusive<i64> = -32602..=-32600;
    let refused = |refusal: &Refusal| {
        let message = refusal.message.as_deref().unwrap_or("an error without a message");
        let problem = refusal.code.map_or(message.to_owned(), |code| format!("{message} (code {code})"));
        // Others may be about a rate.
        Failed { problem, is_for_good: refusal.code.is_some_and(|code| OF_REQUEST.contains(&code)) }
    };
    if let Ok(Called { error: Some(error), .. }) = serde_json::from_slice(body) {
        return Err(refused(&error));
    }
    let mut answers: Vec<Called> = serde_json::from_slice(body)
        .map_err(|problem| Failed::for_now(format!("the answer is no list of answers: {problem}")))?;
    answers.sort_by_key(|answer| answer.id);
    if !answers.iter().map(|answer| answer.id).eq(blocks.clone().map(Some)) {
        return Err(Failed::for_now("the answers are not those to what was asked".to_owned()));
    }
    let mut lines = Vec::with_capacity(body.len());
    for (block, answer) in blocks.clone().zip(&answers) {
        match (&answer.error, answer.result) {
            (Some(error), _) => return Err(refused(error)),
            (None, None) => return Err(Failed::for_good(format!("the node has no block {block}"))),
            (None, Some(result)) => {
                // A line of its own: line ends in JSON are space.
                lines.extend(result.get().bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
                lines.push(b'\n');
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_nodes() {
        let url = |text: &str| text.parse::<Url>().map(|url| url.to_string());
        assert_eq!(url("http://localhost:8545").unwrap(), "http://localhost:8545/");
        assert_eq!(url("http://node/v1/key").unwrap(), "http://node:80/v1/key");
        assert!(url("https://node").unwrap_err().contains("TLS"));
        for text in ["localhost:8545", "ftp://node", "http://", "http://a@b", "http://a/b c"] {
            assert!(url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bodies_of_every_length() {
        let body = |head: &str, rest: &str| answer(format!("HTTP/1.1 200 OK\r\n{head}\r\n{rest}").as_bytes());
        assert_eq!(body("content-length: 3\r\n", "abcd").unwrap(), b"abc");
        assert_eq!(body("Transfer-Encoding: chunked\r\n", "2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n").unwrap(), b"abc");
        assert_eq!(body("", "abc").unwrap(), b"abc");
        assert!(body("Content-Length: 9\r\n", "abc").unwrap_err().contains("ends early"));
        assert!(body("Transfer-Encoding: chunked\r\n", "zz\r\n").unwrap_err().contains("without its size"));
        assert!(body("Content-Length: 99999999999\r\n", "").unwrap_err().contains("more than"));
        assert!(answer(&b"HTTP/1.1 429 Too Many\r\n\r\n"[..]).unwrap_err().contains("429"));
    }

    #[test]
    fn answers_are_put_in_order() {
        let text = |body: &str| lines(body.as_bytes(), &(5..=6)).map(|lines| String::from_utf8(lines).unwrap());
        assert_eq!(text(r#"[{"id":6,"result":{"b":1}},{"id":5,"result":{"a":1}}]"#).unwrap(), "{\"a\":1}\n{\"b\":1}\n");
        let failed = |body: &str| text(body).map_err(|failed| (failed.problem, failed.is_for_good)).unwrap_err();
        assert!(failed(r#"[{"id":5,"result":{}}]"#).0.contains("not those"));
        let (missing, is_for_good) = failed(r#"[{"id":5,"result":{}},{"id":6,"result":null}]"#);
        assert!(missing.contains("no block 6") && is_for_good);
        let refused = r#"{"id":null,"error":{"code":-32600,"message":"batch too large"}}"#;
        assert_eq!(failed(refused), ("batch too large (code -32600)".to_owned(), true));
        let rate = r#"[{"id":5,"error":{"code":-32005,"message":"rate limit"}},{"id":6,"result":{}}]"#;
        assert_eq!(failed(rate), ("rate limit (code -32005)".to_owned(), false));
    }
}
