//! Blocks from a node that answers JSON-RPC: they are asked for in batches, some at a time, and come through a pipe in
//! order, an answer a line.
//!
//! Over plain HTTP, and with the feature `https` over TLS too, on connections that are kept.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::fmt;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::ops::RangeInclusive;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use ureq::Agent;
use ureq::http::{StatusCode, Uri};

/// Blocks that are asked for at once, and requests that are under way.
const BLOCKS: u64 = 16;
const REQUESTS: usize = 8;
/// Bytes of an answer at most.
const LONGEST: u64 = 512 << 20;
/// How often a request is made that fails, and how long the first pause is; each is twice as long as the one before.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);
/// How long nothing may come.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a node answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(Uri);

impl FromStr for Url {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const WANTED: &str = "a URL such as http://localhost:8545";
        let uri: Uri = text.parse().map_err(|_| WANTED)?;
        let has_host = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
        match uri.scheme_str() {
            Some("https") if !cfg!(feature = "https") => {
                Err("this command was built without TLS: name the node itself by \
                http, or a tunnel to it, as of `ssh -L`, or build it by `cargo install gecc-cli --features https`"
                    .to_owned())
            }
            Some("http" | "https") if has_host => Ok(Url(uri)),
            _ => Err(WANTED.to_owned()),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(to)
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
        let asking = Asking { url: url.clone(), agent: agent(), is_over: Arc::clone(&is_over), interrupted };
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
    agent: Agent,
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
        let request = self.agent.post(&self.url.0).header("Content-Type", "application/json");
        let mut answer = request.send(body).map_err(|problem| problem.to_string())?;
        if answer.status() != StatusCode::OK {
            return Err(format!("the node answered {}", answer.status()));
        }
        answer.body_mut().with_config().limit(LONGEST).read_to_vec().map_err(|problem| problem.to_string())
    }
}

/// What is named is asked, and nothing in its place: no proxy, and no redirection.
fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .max_idle_connections_per_host(REQUESTS)
        .timeout_connect(Some(PATIENCE))
        .timeout_per_read(Some(PATIENCE))
        .timeout_per_write(Some(PATIENCE));
    config.build().into()
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
        assert_eq!(url("http://node/v1/key").unwrap(), "http://node/v1/key");
        assert_eq!(url("https://node").is_ok(), cfg!(feature = "https"));
        for text in ["localhost:8545", "ftp://node", "http://", "http://a@b", "http://a/b c"] {
            assert!(url(text).is_err(), "{text}");
        }
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
