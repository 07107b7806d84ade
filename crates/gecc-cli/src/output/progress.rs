//! Progress of a command: a bar on a terminal, and occasional lines elsewhere.

use crate::messages::note;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::env;
use std::io::{self, IsTerminal};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time before the first line, and between two lines.
const FIRST_LINE: Duration = Duration::from_secs(5);
const BETWEEN_LINES: Duration = Duration::from_secs(30);
/// The interval at which counters of running work are read.
#[cfg(feature = "arrow")]
const LOOK: Duration = Duration::from_millis(100);

pub struct Progress {
    form: ProgressForm,
    /// The total number of bytes to read, if known.
    length: Option<u64>,
}

enum ProgressForm {
    None,
    Bar(ProgressBar),
    Lines(Mutex<ProgressLines>),
}

struct ProgressLines {
    started: Instant,
    next: Duration,
    bytes: u64,
}

impl Progress {
    /// Makes the progress of an input with `length` bytes, if known. `quiet` disables it.
    pub fn new(length: Option<u64>, quiet: bool) -> Self {
        let form = if quiet {
            ProgressForm::None
        } else if io::stderr().is_terminal() {
            ProgressForm::Bar(bar(length))
        } else {
            ProgressForm::Lines(Mutex::new(ProgressLines {
                started: Instant::now(),
                next: FIRST_LINE,
                bytes: 0,
            }))
        };
        Progress { form, length }
    }

    /// Adds processed bytes, which `message` describes.
    pub fn add(&self, bytes: u64, message: impl FnOnce() -> String) {
        match &self.form {
            ProgressForm::None => {}
            ProgressForm::Bar(bar) => {
                bar.inc(bytes);
                bar.set_message(message());
            }
            ProgressForm::Lines(lines) => {
                let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
                lines.bytes += bytes;
                let elapsed = lines.started.elapsed();
                if elapsed >= lines.next {
                    lines.next = elapsed + BETWEEN_LINES;
                    note(&line(lines.bytes, self.length, elapsed, &message()));
                }
            }
        }
    }

    /// Reports the progress of work that counts by itself. `done` returns its processed bytes and
    /// their description.
    #[cfg(feature = "arrow")]
    pub fn follow<R>(
        &self,
        done: impl Fn() -> (u64, String) + Sync,
        work: impl FnOnce() -> R,
    ) -> R {
        use std::sync::mpsc::{self, RecvTimeoutError};
        if matches!(self.form, ProgressForm::None) {
            return work();
        }
        let done = &done;
        let (end, ended) = mpsc::channel::<()>();
        std::thread::scope(move |scope| {
            // Without a thread no progress is shown. `end` is also dropped if the work panics.
            let thread = std::thread::Builder::new().name("gecc-progress".to_owned());
            let _ = thread.spawn_scoped(scope, move || {
                let mut before = 0;
                while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                    let (bytes, message) = done();
                    self.add(bytes.saturating_sub(before), || message);
                    before = bytes;
                }
            });
            let _end = end;
            work()
        })
    }

    /// Prints a message without disturbing the progress bar.
    #[cfg(feature = "chains")]
    pub fn note(&self, text: &str) {
        match &self.form {
            ProgressForm::Bar(bar) => bar.suspend(|| note(text)),
            ProgressForm::None | ProgressForm::Lines(_) => note(text),
        }
    }

    pub fn end(&self) {
        if let ProgressForm::Bar(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

fn line(bytes: u64, length: Option<u64>, elapsed: Duration, message: &str) -> String {
    let rate = bytes as f64 / elapsed.as_secs_f64().max(1e-9);
    let of = match length {
        // Compressed input yields more bytes than its length.
        Some(length) if length >= bytes && length > 0 => {
            let left = (length - bytes) as f64 / rate.max(1e-9);
            format!(
                " of {} ({} %), {left:.0} s left",
                HumanBytes(length),
                100 * bytes / length
            )
        }
        _ => String::new(),
    };
    let comma = if message.is_empty() { "" } else { ", " };
    format!(
        "gecc: {}{of}, {}/s{comma}{message}",
        HumanBytes(bytes),
        HumanBytes(rate as u64)
    )
}

fn bar(length: Option<u64>) -> ProgressBar {
    let template = match length {
        Some(_) => "{bar:40} {bytes}/{total_bytes} {bytes_per_sec} {eta} {msg}",
        None => "{spinner} {bytes} {bytes_per_sec} {msg}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is well-formed");
    let style = if is_utf8(|name| env::var(name).ok()) {
        style
    } else {
        style.progress_chars("#> ").tick_chars("|/-\\ ")
    };
    length
        .map_or_else(ProgressBar::new_spinner, ProgressBar::new)
        .with_style(style)
}

/// Returns whether a terminal displays UTF-8 according to the locale (POSIX, section 8.2). It does
/// if the locale is not set.
fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let named = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(variable)
        .find(|value| !value.is_empty());
    named.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_utf8_with(variables: &[(&str, &str)]) -> bool {
        is_utf8(|name| {
            variables
                .iter()
                .find(|(set, _)| *set == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn locale_determines_the_characters_of_the_bar() {
        assert!(is_utf8_with(&[]));
        assert!(is_utf8_with(&[("LANG", "en_US.UTF-8")]));
        assert!(is_utf8_with(&[("LC_ALL", ""), ("LC_CTYPE", "C.utf8")]));
        assert!(!is_utf8_with(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]));
        assert!(!is_utf8_with(&[("LANG", "POSIX")]));
    }

    #[cfg(feature = "arrow")]
    #[test]
    fn counters_of_running_work_are_followed() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let lines = ProgressLines {
            started: Instant::now(),
            next: Duration::MAX,
            bytes: 0,
        };
        let progress = Progress {
            form: ProgressForm::Lines(Mutex::new(lines)),
            length: None,
        };
        let ProgressForm::Lines(lines) = &progress.form else {
            unreachable!("lines")
        };
        let bytes = AtomicU64::new(0);
        progress.follow(
            || (bytes.load(Ordering::Relaxed), String::new()),
            || {
                for expected in [7, 1000] {
                    bytes.store(expected, Ordering::Relaxed);
                    while lines.lock().unwrap().bytes != expected {
                        std::thread::sleep(LOOK / 10);
                    }
                }
            },
        );
    }

    #[test]
    fn lines_show_bytes_rate_and_time_left() {
        let second = Duration::from_secs(1);
        let whole = line(1 << 20, Some(4 << 20), second, "7 items");
        assert_eq!(
            whole,
            "gecc: 1.00 MiB of 4.00 MiB (25 %), 3 s left, 1.00 MiB/s, 7 items"
        );
        assert_eq!(
            line(1 << 20, None, 2 * second, ""),
            "gecc: 1.00 MiB, 512.00 KiB/s"
        );
        // More bytes than the expected length.
        assert_eq!(
            line(1 << 20, Some(1), second, ""),
            line(1 << 20, None, second, "")
        );
    }
}
