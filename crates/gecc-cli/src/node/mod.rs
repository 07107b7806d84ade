//! Blocks from a node, requested over HTTP or, with the feature `https`, over TLS, on persistent
//! connections. Several requests are in flight at a time; their results are delivered in order.
//! Failing requests are retried.

mod bitcoin;
#[cfg(unix)]
mod ethereum;
mod url;

pub use bitcoin::{connect, source};
#[cfg(unix)]
pub use ethereum::Node;
use gecc::pipeline::{Demand, Stages};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;
use std::{iter, thread};
use ureq::http::{Response, StatusCode};
use ureq::{Agent, Body};
use url::Url;
pub use url::UrlText;

/// The maximum number of requests in flight, if memory is not limited.
const REQUESTS: usize = 8;
/// The maximum delay until an interruption is noticed.
const SLICE: Duration = Duration::from_millis(100);
/// The number of attempts of a failing request. Each pause is twice as long as the one before.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(500);
/// The longest time without any data.
const PATIENCE: Duration = Duration::from_secs(60);
/// The maximum number of bytes that are read of a node's error text.
const TEXT: u64 = 1 << 14;

/// Describes where a response is not the expected JSON. The token that the parser expected is of no
/// use to users.
fn place_of(problem: &serde_json::Error) -> String {
    format!(
        "JSON that is not as expected in line {}, at column {}",
        problem.line(),
        problem.column()
    )
}

/// The state shared by all requests to a node.
struct NodeClient {
    url: Url,
    agent: Agent,
    /// The maximum number of requests in flight.
    requests: usize,
    is_over: Arc<AtomicBool>,
    interrupted: &'static AtomicBool,
}

impl NodeClient {
    fn new(url: &Url, requests: usize, interrupted: &'static AtomicBool) -> Self {
        NodeClient {
            url: url.clone(),
            agent: agent(),
            requests,
            is_over: Arc::default(),
            interrupted,
        }
    }

    fn is_wanted(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed) && !self.interrupted.load(Ordering::Relaxed)
    }

    /// Makes `requests` requests, and hands on their results with their numbers, in order. Stops at
    /// the first permanent failure.
    fn in_order<T: Send>(
        &self,
        requests: u64,
        request_once: impl Fn(u64) -> Result<T, RequestFailure> + Sync,
        mut hand_on: impl FnMut(u64, Result<T, String>) -> bool,
    ) {
        let demand = Demand::until(self.interrupted);
        let stages = Stages {
            workers: self.requests,
            items: 0,
            results: self.requests,
            demand: &demand,
            budgets: &[],
        };
        let mut answered = 0;
        let ended = stages.run(
            |sender| {
                (0..requests).all(|request| sender.send(request));
            },
            |request| {
                let is_wanted = || self.is_wanted() && demand.continues();
                self.again(&is_wanted, || request_once(request))
            },
            |answer| {
                let is_last = answer.is_err();
                if !self.is_wanted() || !hand_on(answered, answer) || is_last {
                    return ControlFlow::Break(());
                }
                answered += 1;
                ControlFlow::Continue(())
            },
        );
        // Otherwise there would be no result, as if all blocks had been delivered.
        if let Err(problem) = ended {
            let problem = gecc::Error::Threads(problem.to_string());
            hand_on(0, Err(problem.to_string()));
        }
    }

    /// Retries until there is a response or a permanent failure. Returns `None` if the response is
    /// not wanted any more.
    fn again<T>(
        &self,
        is_wanted: &dyn Fn() -> bool,
        request_once: impl Fn() -> Result<T, RequestFailure>,
    ) -> Option<Result<T, String>> {
        let mut pause = PAUSE;
        for attempt in 1.. {
            match request_once() {
                Ok(answer) => return Some(Ok(answer)),
                Err(RequestFailure {
                    problem,
                    is_for_good,
                }) if is_for_good || attempt == TRIES => {
                    return Some(Err(self.url.without_keys(&problem)));
                }
                Err(_) if !is_wanted() => return None,
                Err(_) => thread::sleep(pause),
            }
            pause *= 2;
        }
        None
    }
}

/// Yields what arrives until the sender is gone or the command is interrupted, without waiting for
/// a node that hangs.
fn until_interrupted<T: Send>(
    given: Receiver<T>,
    interrupted: &'static AtomicBool,
) -> impl Iterator<Item = T> + Send {
    iter::from_fn(move || {
        loop {
            match given.recv_timeout(SLICE) {
                Err(RecvTimeoutError::Timeout) if !interrupted.load(Ordering::Relaxed) => {}
                received => return received.ok(),
            }
        }
    })
}

/// Returns the number of concurrent requests if responses may take `memory` bytes in total and
/// `each` bytes individually.
fn requests(memory: Option<usize>, each: usize) -> usize {
    memory.map_or(REQUESTS, |memory| (memory / each).clamp(1, REQUESTS))
}

/// Returns the body of a response, of at most `longest` bytes. `default` describes the error if the
/// node does not.
fn body(
    answer: Result<Response<Body>, ureq::Error>,
    longest: u64,
    default: &str,
) -> Result<Vec<u8>, RequestFailure> {
    let mut answer = answer.map_err(|problem| RequestFailure::for_now(problem.to_string()))?;
    let status = answer.status();
    if status == StatusCode::OK {
        return answer
            .body_mut()
            .with_config()
            .limit(longest)
            .read_to_vec()
            .map_err(|problem| match problem {
                ureq::Error::BodyExceedsLimit(_) => {
                    RequestFailure::for_good(format!("the answer has more than {longest} bytes"))
                }
                other => RequestFailure::for_now(other.to_string()),
            });
    }
    let text = answer
        .body_mut()
        .with_config()
        .limit(TEXT)
        .read_to_vec()
        .unwrap_or_default();
    let text: String = String::from_utf8_lossy(&text)
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let message = if text.trim().is_empty() {
        default
    } else {
        text.trim()
    };
    let problem = format!(
        "the node answered {status}{}{message}",
        if message.is_empty() { "" } else { ": " }
    );
    let is_for_now = [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
    Err(RequestFailure {
        problem,
        is_for_good: !status.is_server_error() && !is_for_now,
    })
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

/// The reason why a request has failed.
#[derive(Debug)]
struct RequestFailure {
    problem: String,
    /// True if the same request would fail again.
    is_for_good: bool,
}

impl RequestFailure {
    fn for_now(problem: String) -> Self {
        RequestFailure {
            problem,
            is_for_good: false,
        }
    }

    fn for_good(problem: String) -> Self {
        RequestFailure {
            problem,
            is_for_good: true,
        }
    }
}
