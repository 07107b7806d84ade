//! Blocks of Ethereum by JSON-RPC: they are asked for in batches, and come through a pipe, an answer a line.

use super::{Asking, Failed, Url, body};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::ops::RangeInclusive;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Blocks that are asked for at once.
const BLOCKS: u64 = 16;
/// Bytes of an answer at most.
const LONGEST: u64 = 512 << 20;

/// Blocks that are being asked for.
pub struct Node {
    reader: PipeReader,
    is_over: Arc<AtomicBool>,
}

impl Node {
    /// Begins to ask for blocks.
    pub fn ask(url: &Url, blocks: RangeInclusive<u64>, interrupted: &'static AtomicBool) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let asking = Asking::new(url, interrupted);
        let is_over = Arc::clone(&asking.is_over);
        // Not waited for: it ends when nobody reads what it writes.
        thread::Builder::new().name("gecc-node".to_owned()).spawn(move || asking.lines(blocks, writer))?;
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

impl Asking {
    /// Writes the answers to all blocks, in order. Ends with an answer that is an error where blocks cannot be had.
    fn lines(&self, blocks: RangeInclusive<u64>, mut to: PipeWriter) {
        let ask = |number| {
            let blocks = batch(&blocks, number);
            self.request(&blocks).and_then(|answer| lines(&answer, &blocks))
        };
        self.in_order((blocks.end() - blocks.start()) / BLOCKS + 1, ask, |number, answered| {
            let lines = answered.unwrap_or_else(|problem| {
                let (first, last) = batch(&blocks, number).into_inner();
                let what = format!("{}, blocks {first} to {last}: {problem}", self.url);
                format!("{}\n", json!({"error": {"message": what}})).into_bytes()
            });
            to.write_all(&lines).is_ok()
        });
    }

    /// The body of the answer to one request.
    fn request(&self, blocks: &RangeInclusive<u64>) -> Result<Vec<u8>, Failed> {
        let call = |block: u64| json!({"jsonrpc": "2.0", "id": block, "method": "eth_getBlockByNumber", "params": [format!("{block:#x}"), true]});
        let calls = blocks.clone().map(call).collect::<Value>().to_string();
        let request = self.agent.post(&self.url.0).header("Content-Type", "application/json");
        body(request.send(calls), LONGEST, "")
    }
}

/// The blocks of a request, of all that are asked for.
fn batch(all: &RangeInclusive<u64>, number: u64) -> RangeInclusive<u64> {
    let start = all.start() + number * BLOCKS;
    start..=start.saturating_add(BLOCKS - 1).min(*all.end())
}

/// An answer to one call.
#[derive(Deserialize)]
struct Called<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal<'a>>,
}

/// What a block says of itself.
#[derive(Deserialize)]
struct Numbered<'a> {
    #[serde(borrow)]
    number: Cow<'a, str>,
}

impl Numbered<'_> {
    fn is(&self, block: u64) -> bool {
        self.number.strip_prefix("0x").is_some_and(|digits| u64::from_str_radix(digits, 16) == Ok(block))
    }
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
                if !serde_json::from_str(result.get()).is_ok_and(|of: Numbered| of.is(block)) {
                    return Err(Failed::for_now(format!("the answer for block {block} is not this block")));
                }
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
    fn requests_have_all_blocks_up_to_the_last_number() {
        for (all, expected) in [
            (5..=40, vec![5..=20, 21..=36, 37..=40]),
            (7..=7, vec![7..=7]),
            (u64::MAX - 16..=u64::MAX, vec![u64::MAX - 16..=u64::MAX - 1, u64::MAX..=u64::MAX]),
        ] {
            let requests: Vec<_> = (0..).zip(&expected).map(|(number, _)| batch(&all, number)).collect();
            assert_eq!(requests, expected);
        }
    }

    #[test]
    fn answers_are_put_in_order() {
        let answers = |numbers: [&str; 2]| {
            let answer = |id: u64| format!(r#"{{"id":{id},"result":{{"a":1,"number":{}}}}}"#, numbers[id as usize - 5]);
            format!("[{},{}]", answer(6), answer(5))
        };
        let text = |body: &str| lines(body.as_bytes(), &(5..=6)).map(|lines| String::from_utf8(lines).unwrap());
        let expected = "{\"a\":1,\"number\":\"0x5\"}\n{\"a\":1,\"number\":\"0x6\"}\n";
        assert_eq!(text(&answers([r#""0x5""#, r#""0x6""#])).unwrap(), expected);
        let failed = |body: &str| text(body).map_err(|failed| (failed.problem, failed.is_for_good)).unwrap_err();
        assert!(failed(r#"[{"id":5,"result":{}}]"#).0.contains("not those"));
        for other in [r#""0x5""#, r#""6""#, "6", "null"] {
            let (problem, is_for_good) = failed(&answers([r#""0x5""#, other]));
            assert!(problem.contains("block 6 is not this block") && !is_for_good, "{problem}");
        }
        let (missing, is_for_good) = failed(r#"[{"id":5,"result":{"number":"0x5"}},{"id":6,"result":null}]"#);
        assert!(missing.contains("no block 6") && is_for_good);
        let refused = r#"{"id":null,"error":{"code":-32600,"message":"batch too large"}}"#;
        assert_eq!(failed(refused), ("batch too large (code -32600)".to_owned(), true));
        let rate = r#"[{"id":5,"error":{"code":-32005,"message":"rate limit"}},{"id":6,"result":{}}]"#;
        assert_eq!(failed(rate), ("rate limit (code -32005)".to_owned(), false));
    }
}
