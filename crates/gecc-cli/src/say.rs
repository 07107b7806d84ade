//! What is said on standard error, and how much of it.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

/// The variable that says how much is said, where no option does.
pub const VARIABLE: &str = "GECC_LOG";

/// What is asked for.
static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// What ends a command, what was asked for, and nothing else.
    Error,
    Warn,
    /// What is used: the engine, the forms of inputs, their columns.
    Info,
    /// Where kernels came from, and how long starting took.
    Debug,
}

impl Level {
    const NAMES: [(&str, Level); 4] =
        [("error", Level::Error), ("warn", Level::Warn), ("info", Level::Info), ("debug", Level::Debug)];

    fn is_said(self) -> bool {
        self as u8 <= LEVEL.load(Ordering::Relaxed)
    }
}

/// Sets how much is said: by how often `-v` was given, or else by the environment.
///
/// # Errors
/// Where the environment names no level.
pub fn listen(verbose: u8) -> Result<(), String> {
    let named = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
    let level = match (verbose, named) {
        (0, None) => Level::Warn,
        (0, Some(name)) => {
            let found = Level::NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(&name));
            let known = Level::NAMES.map(|(name, _)| name).join(", ");
            found.ok_or_else(|| format!("{VARIABLE} is `{name}`, and has to be one of {known}"))?.1
        }
        (1, _) => Level::Info,
        _ => Level::Debug,
    };
    LEVEL.store(level as u8, Ordering::Relaxed);
    Ok(())
}

/// Says something on standard error. Unlike `eprintln!`, does not panic where that is closed. What a terminal would
/// obey, as it may stand in a name or in an input, is written out.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", escaped(text, |c| c == '\n'));
}

/// A path as messages name it, in one line: what a terminal would obey is written out.
pub fn shown_path(path: &Path) -> String {
    escaped(&path.to_string_lossy(), |_| false).into_owned()
}

/// A text in which control characters, and those that turn the direction of a text, are written as in programs, but for
/// those that are `kept`.
fn escaped(text: &str, kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    let turns =
        |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_escaped = |c: char| (c.is_control() || turns(c)) && !kept(c);
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Says what may be wrong.
pub fn warn(text: &str) {
    if Level::Warn.is_said() {
        note(&format!("gecc: warning: {text}"));
    }
}

/// Says what is used.
pub fn info(text: impl FnOnce() -> String) {
    if Level::Info.is_said() {
        note(&format!("gecc: {}", text()));
    }
}

/// Says what helps where something is slow or not as expected.
pub fn debug(text: impl FnOnce() -> String) {
    if Level::Debug.is_said() {
        note(&format!("gecc: {}", text()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let name = "a\u{1b}[31m\r\nb\u{202e}\u{9b}\u{7f}é";
        assert_eq!(shown_path(Path::new(name)), "a\\u{1b}[31m\\r\\nb\\u{202e}\\u{9b}\\u{7f}é");
        assert_eq!(escaped("two\nlines", |c| c == '\n'), "two\nlines");
        assert!(matches!(escaped("häufig", |_| false), Cow::Borrowed("häufig")));
    }
}
