//! Blocks from a node, which is asked over HTTP, or with the feature `https` over TLS, on connections that are kept.
//! Some requests are under way at a time; what is made of the answers comes in order. A request that fails is made
//! again.

mod bitcoin;
#[cfg(unix)]
mod ethereum;
mod url;

pub use bitcoin::{asked, source};
#[cfg(unix)]
pub use ethereum::Node;
use gecc::steps::line;
use gecc_chains::threads::{spawn, spawn_some};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use std::{iter, thread};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};
use url::Url;
pub use url::UrlText;

/// Requests that are under way, where memory is not limited.
const REQUESTS: usize = 8;
/// The maximum delay until an interruption is noticed.
const SLICE: Duration = Duration::from_millis(100);
/// The number of attempts of a failing request. Each pause is twice as long as the one before.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);
/// The longest time without any data.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bytes that are read of what a node says of an error.
const TEXT: u64 = 1 << 14;

/// Returns where an answer is not the JSON that it should be. What the parser expected there means nothing to users.
fn place_of(problem: &serde_json::Error) -> String {
    format!("JSON that is not as expected in line {}, at column {}", problem.line(), problem.column())
}

/// The state shared by all requests to a node.
struct Asking {
    url: Url,
    agent: Agent,
    /// Requests that are under way.
    requests: usize,
    is_over: Arc<AtomicBool>,
    interrupted: &'static AtomicBool,
}

impl Asking {
    fn new(url: &Url, requests: usize, interrupted: &'static AtomicBool) -> Self {
        Asking { url: url.clone(), agent: agent(), requests, is_over: Arc::default(), interrupted }
    }

    fn is_wanted(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed)
    }

    /// Makes this many requests, and hands on what they give, in order, with their numbers. The first that fails for
    /// good is the last.
    fn in_order<T: Send>(
        &self,
        requests: u64,
        ask: impl Fn(u64) -> Result<T, Failed> + Sync,
        mut hand_on: impl FnMut(u64, Result<T, String>) -> bool,
    ) {
        let ask = &ask;
        let (entrance, workers, answers) = line(self.requests, 0);
        thread::scope(|scope| {
            let asks = (0..self.requests).map(move |_| {
                let workers = workers.clone();
                move || workers.work(|request| self.again(|| ask(request)))
            });
            let started = spawn(scope, move || (0..requests).all(|request| entrance.hand_in(request)))
                .and_then(|_| spawn_some(scope, asks));
            // Without it nothing would come, as where all is there.
            if let Err(problem) = started {
                hand_on(0, Err(problem.to_string()));
            }
            for (request, answer) in (0..).zip(answers) {
                let is_last = answer.is_err();
                if !self.is_wanted() || !hand_on(request, answer) || is_last {
                    break;
                }
            }
            // Those that wait for another try are told by this.
            self.is_over.store(true, Ordering::Relaxed);
        });
    }

    /// Asks until there is an answer, or none is to be had. `None` where none is wanted any more.
    fn again<T>(&self, ask: impl Fn() -> Result<T, Failed>) -> Option<Result<T, String>> {
        let mut pause = PAUSE;
        for attempt in 1.. {
            match ask() {
                Ok(answer) => return Some(Ok(answer)),
                Err(Failed { problem, is_for_good }) if is_for_good || attempt == TRIES => {
                    return Some(Err(self.url.without_keys(&problem)));
                }
                Err(_) if !self.is_wanted() => return None,
                Err(_) => thread::sleep(pause),
            }
            pause *= 2;
        }
        None
    }
}

/// Yields what arrives until the sender is gone or the command is interrupted, without waiting for
/// a node that hangs.
fn until_interrupted<T: Send>(given: Receiver<T>, interrupted: &'static AtomicBool) -> impl Iterator<Item = T> + Send {
    iter::from_fn(move || {
        loop {
            match given.recv_timeout(SLICE) {
                Err(RecvTimeoutError::Timeout) if !interrupted.load(Ordering::Relaxed) => {}
                received => return received.ok(),
            }
        }
    })
}

/// Returns the number of concurrent requests if responses may take this much memory in total, and
/// each about so much of it.
fn requests(memory: Option<usize>, each: usize) -> usize {
    memory.map_or(REQUESTS, |memory| (memory / each).clamp(1, REQUESTS))
}

/// The body of an answer, of at most this many bytes. `unsaid` is said where the node does not say what is wrong.
fn body(answer: Result<Response<Body>, ureq::Error>, longest: u64, unsaid: &str) -> Result<Vec<u8>, Failed> {
    let unread = |problem: ureq::Error| match problem {
        ureq::Error::BodyExceedsLimit(_) => Failed::for_good(format!("the answer has more than {longest} bytes")),
        other => Failed::for_now(other.to_string()),
    };
    let mut answer = answer.map_err(|problem| Failed::for_now(problem.to_string()))?;
    let status = answer.status();
    if status == StatusCode::OK {
        return answer.body_mut().with_config().limit(longest).read_to_vec().map_err(unread);
    }
    let text = answer.body_mut().with_config().limit(TEXT).read_to_vec().unwrap_or_default();
    let text: String = String::from_utf8_lossy(&text).chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let said = if text.trim().is_empty() { unsaid } else { text.trim() };
    let problem = format!("the node answered {status}{}{said}", if said.is_empty() { "" } else { ": " });
    let is_for_now = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    Err(Failed { problem, is_for_good: !status.is_server_error() && !is_for_now })
}

/// Makes an agent that contacts exactly the named host: no proxy, and no redirects.
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

/// The reason why there is no response.
#[derive(Debug)]
struct Failed {
    problem: String,
    /// True if the same request would fail again.
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
