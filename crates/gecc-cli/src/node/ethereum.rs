//! Blocks of Ethereum over JSON-RPC. They are requested in batches and passed on through a pipe,
//! one response per line.

use super::{
    NodeClient, RequestFailure, Url, UrlText, body, place_of, requests, until_interrupted,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::io::{self, PipeReader, Write};
use std::ops::RangeInclusive;
use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// The number of blocks per request, and the maximum size of a response in bytes, if memory is not
/// limited.
const BLOCKS: u64 = 16;
const LONGEST: u64 = 512 << 20;
/// The memory in bytes for a block. Few take more.
const BLOCK: usize = 16 << 20;
/// The smallest limit on the size of a response in bytes: with the smallest memory, no longer value
/// is read from files either.
const LEAST: u64 = 6 << 20;
/// The number of copies of a response: as received, parsed, and in transit through the pipe.
const COPIES: usize = 3;

const NOT_BEHIND: &str =
    "it does not follow the block before it: the node's chain has changed meanwhile";

/// A connection to a node from which blocks are being requested.
pub struct Node {
    reader: PipeReader,
    is_over: Arc<AtomicBool>,
}

impl Node {
    /// Starts to request blocks. `memory` bounds all responses in flight.
    pub fn connect(
        url: &UrlText,
        blocks: RangeInclusive<u64>,
        memory: Option<usize>,
        interrupted: &'static AtomicBool,
    ) -> Result<Self, String> {
        let url = url.url("--rpc-url")?;
        Self::connect_to(&url, blocks, memory, interrupted)
            .map_err(|problem| format!("{url}: {problem}"))
    }

    fn connect_to(
        url: &Url,
        blocks: RangeInclusive<u64>,
        memory: Option<usize>,
        interrupted: &'static AtomicBool,
    ) -> io::Result<Self> {
        let (reader, mut writer) = io::pipe()?;
        let (hand_on, given) = sync_channel(0);
        let client = NodeClient::new(url, requests(memory, COPIES * BLOCK), interrupted);
        let is_over = Arc::clone(&client.is_over);
        let longest = memory.map_or(LONGEST, |memory| {
            LEAST.max((memory / (COPIES * client.requests)) as u64)
        });
        let at_once = if memory.is_some() { 1 } else { BLOCKS };
        // The threads are not joined: they end when the reader of the pipe is gone.
        let requesting = thread::Builder::new().name("gecc-node".to_owned());
        requesting.spawn(move || client.lines(blocks, at_once, longest, &hand_on))?;
        let writing = thread::Builder::new().name("gecc-node-pipe".to_owned());
        writing.spawn(move || {
            until_interrupted(given, interrupted)
                .all(|lines: Vec<u8>| writer.write_all(&lines).is_ok())
        })?;
        Ok(Node { reader, is_over })
    }

    /// Returns the path from which responses can be read while this value exists.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(format!("/dev/fd/{}", self.reader.as_raw_fd()))
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl NodeClient {
    /// Sends the responses for all blocks, one per line, in order. If blocks are not available, the
    /// last line is an error.
    fn lines(
        &self,
        blocks: RangeInclusive<u64>,
        at_once: u64,
        longest: u64,
        to: &SyncSender<Vec<u8>>,
    ) {
        let requests = ((blocks.end() - blocks.start()) / at_once).saturating_add(1);
        let mut last: Option<String> = None;
        self.in_order(
            requests,
            |number| {
                let blocks = batch(&blocks, at_once, number);
                self.request(&blocks, longest)
                    .and_then(|answer| answered(&answer, &blocks))
            },
            |number, answered| {
                let answered = answered.unwrap_or_else(|problem| BlockResponses {
                    blocks: Vec::new(),
                    missing: Some(problem),
                });
                let is_last = answered.missing.is_some();
                let lines = self.lines_of(answered, batch(&blocks, at_once, number), &mut last);
                to.send(lines).is_ok() && !is_last
            },
        );
    }

    /// Returns the lines for the blocks of a request. `last` is the hash of the preceding block, if
    /// known.
    fn lines_of(
        &self,
        answered: BlockResponses,
        blocks: RangeInclusive<u64>,
        last: &mut Option<String>,
    ) -> Vec<u8> {
        let mut lines = Vec::new();
        for (block, found) in blocks.clone().zip(answered.blocks) {
            if let (Some(last), Some(parent)) = (&*last, &found.parent)
                && last != parent
            {
                lines.extend(self.error_line(&format!("block {block}: {NOT_BEHIND}")));
            }
            *last = found.hash;
            lines.extend(found.line);
        }
        if let Some(problem) = answered.missing {
            let (first, last) = blocks.into_inner();
            lines.extend(self.error_line(&format!("blocks {first} to {last}: {problem}")));
        }
        lines
    }

    /// Returns the line that reports an error to the reader of the pipe.
    fn error_line(&self, problem: &str) -> Vec<u8> {
        let mut line =
            json!({"error": {"message": format!("{}, {problem}", self.url)}}).to_string();
        line.push('\n');
        line.into_bytes()
    }

    /// Returns the body of the response to one request.
    fn request(
        &self,
        blocks: &RangeInclusive<u64>,
        longest: u64,
    ) -> Result<Vec<u8>, RequestFailure> {
        let calls = blocks
            .clone()
            .map(block_call)
            .collect::<Value>()
            .to_string();
        let request = self
            .agent
            .post(self.url.uri())
            .header("Content-Type", "application/json");
        body(request.send(calls), longest, "")
    }
}

/// Returns the JSON-RPC call for a block with its full transactions. Its id is the block number.
fn block_call(block: u64) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": block,
        "method": "eth_getBlockByNumber",
        "params": [format!("{block:#x}"), true],
    })
}

/// Returns the range of blocks of request `number`, out of all requested blocks.
fn batch(all: &RangeInclusive<u64>, at_once: u64, number: u64) -> RangeInclusive<u64> {
    let start = all.start() + number * at_once;
    start..=start.saturating_add(at_once - 1).min(*all.end())
}

/// The result of a request.
struct BlockResponses {
    blocks: Vec<BlockLine>,
    /// The reason why the next one is missing.
    missing: Option<String>,
}

/// A block as a line, with its position in the chain.
struct BlockLine {
    line: Vec<u8>,
    hash: Option<String>,
    parent: Option<String>,
}

/// The response to one call.
#[derive(Deserialize)]
struct CallResponse<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<CallError<'a>>,
}

/// The number that a block states.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockHeader<'a> {
    #[serde(borrow)]
    number: Cow<'a, str>,
    hash: Option<String>,
    parent_hash: Option<String>,
}

impl BlockHeader<'_> {
    fn is(&self, block: u64) -> bool {
        self.number
            .strip_prefix("0x")
            .is_some_and(|digits| u64::from_str_radix(digits, 16) == Ok(block))
    }
}

#[derive(Deserialize)]
struct CallError<'a> {
    code: Option<i64>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
}

impl CallError<'_> {
    /// Converts the error of a call to a failure, which is permanent if the request itself is
    /// refused. Other codes may be about rate limits.
    fn failure(&self) -> RequestFailure {
        /// Codes of JSON-RPC 2.0, section 5.1, from "invalid params" to "invalid request".
        const OF_REQUEST: RangeInclusive<i64> = -32602..=-32600;
        let message = self
            .message
            .as_deref()
            .unwrap_or("an error without a message");
        let problem = self.code.map_or(message.to_owned(), |code| {
            format!("{message} (code {code})")
        });
        RequestFailure {
            problem,
            is_for_good: self.code.is_some_and(|code| OF_REQUEST.contains(&code)),
        }
    }
}

/// Returns blocks in their order, whatever the order of the responses, up to the first that the
/// node does not have.
fn answered(body: &[u8], blocks: &RangeInclusive<u64>) -> Result<BlockResponses, RequestFailure> {
    if let Ok(CallResponse {
        error: Some(error), ..
    }) = serde_json::from_slice(body)
    {
        return Err(error.failure());
    }
    let mut answers: Vec<CallResponse> = serde_json::from_slice(body).map_err(|problem| {
        RequestFailure::for_now(format!(
            "the response is not a list of responses: {}",
            place_of(&problem)
        ))
    })?;
    answers.sort_by_key(|answer| answer.id);
    if !answers
        .iter()
        .map(|answer| answer.id)
        .eq(blocks.clone().map(Some))
    {
        return Err(RequestFailure::for_now(
            "the responses do not match the requests".to_owned(),
        ));
    }
    let mut found = BlockResponses {
        blocks: Vec::new(),
        missing: None,
    };
    for (block, answer) in blocks.clone().zip(&answers) {
        match (&answer.error, answer.result) {
            (Some(error), _) => return Err(error.failure()),
            (None, None) => {
                found.missing = Some(format!("the node has no block {block}"));
                break;
            }
            (None, Some(result)) => {
                let numbered = serde_json::from_str(result.get())
                    .ok()
                    .filter(|of: &BlockHeader| of.is(block));
                let Some(BlockHeader {
                    hash,
                    parent_hash: parent,
                    ..
                }) = numbered
                else {
                    return Err(RequestFailure::for_now(format!(
                        "the answer for block {block} is not this block"
                    )));
                };
                // A line of its own: in JSON, line ends are equivalent to spaces.
                let mut line = result.get().replace('\n', " ").into_bytes();
                line.push(b'\n');
                found.blocks.push(BlockLine { line, hash, parent });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_all_blocks_up_to_the_last_number() {
        for (all, expected) in [
            (5..=40, vec![5..=20, 21..=36, 37..=40]),
            (7..=7, vec![7..=7]),
            (
                u64::MAX - 16..=u64::MAX,
                vec![u64::MAX - 16..=u64::MAX - 1, u64::MAX..=u64::MAX],
            ),
        ] {
            let requests: Vec<_> = (0..)
                .zip(&expected)
                .map(|(number, _)| batch(&all, 16, number))
                .collect();
            assert_eq!(requests, expected);
        }
    }

    /// Returns the response to calls for blocks 5 and 6, in reverse order, with the numbers that
    /// blocks state.
    fn response(number_of_5: &str, number_of_6: &str) -> String {
        let first = format!(r#"{{"id":5,"result":{{"a":1,"number":{number_of_5}}}}}"#);
        let second = format!(r#"{{"id":6,"result":{{"a":1,"number":{number_of_6}}}}}"#);
        format!("[{second},{first}]")
    }

    /// Parses a response to calls for blocks 5 and 6, and returns the lines of blocks.
    fn lines_of(body: &str) -> Result<(String, Option<String>), RequestFailure> {
        let BlockResponses { blocks, missing } = answered(body.as_bytes(), &(5..=6))?;
        let lines: Vec<u8> = blocks.into_iter().flat_map(|block| block.line).collect();
        Ok((String::from_utf8(lines).unwrap(), missing))
    }

    fn failure_of(body: &str) -> (String, bool) {
        let failed = lines_of(body).unwrap_err();
        (failed.problem, failed.is_for_good)
    }

    #[test]
    fn responses_are_ordered_and_checked() {
        let expected = "{\"a\":1,\"number\":\"0x5\"}\n{\"a\":1,\"number\":\"0x6\"}\n".to_owned();
        assert_eq!(
            lines_of(&response(r#""0x5""#, r#""0x6""#)).unwrap(),
            (expected, None)
        );
        assert!(
            failure_of(r#"[{"id":5,"result":{}}]"#)
                .0
                .contains("do not match the requests")
        );
        for other in [r#""0x5""#, r#""6""#, "6", "null"] {
            let (problem, is_for_good) = failure_of(&response(r#""0x5""#, other));
            assert!(
                problem.contains("block 6 is not this block") && !is_for_good,
                "{problem}"
            );
        }
        let (lines, missing) =
            lines_of(r#"[{"id":5,"result":{"number":"0x5"}},{"id":6,"result":null}]"#).unwrap();
        assert_eq!(lines, "{\"number\":\"0x5\"}\n");
        assert_eq!(missing.as_deref(), Some("the node has no block 6"));
        let refused = r#"{"id":null,"error":{"code":-32600,"message":"batch too large"}}"#;
        assert_eq!(
            failure_of(refused),
            ("batch too large (code -32600)".to_owned(), true)
        );
        let rate =
            r#"[{"id":5,"error":{"code":-32005,"message":"rate limit"}},{"id":6,"result":{}}]"#;
        assert_eq!(
            failure_of(rate),
            ("rate limit (code -32005)".to_owned(), false)
        );
    }
}
