//! Messages on standard error, with verbosity levels.

use anstream::adapter::strip_str;
use gecc::fields::may_be_secret;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The environment variable that sets the verbosity if no option does.
pub const VARIABLE: &str = "GECC_LOG";

/// The selected level.
static LEVEL: AtomicU8 = AtomicU8::new(Level::Warn as u8);

/// Arguments that may be private keys, the longest first, each with its replacement.
static HIDDEN: OnceLock<Vec<(String, String)>> = OnceLock::new();

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// Errors that end a command, and requested output only.
    Error,
    Warn,
    /// The engine, and the formats and columns of inputs.
    Info,
    /// The origin of kernels, and the duration of the start-up.
    Debug,
}

impl Level {
    const NAMES: [(&str, Level); 4] = [
        ("error", Level::Error),
        ("warn", Level::Warn),
        ("info", Level::Info),
        ("debug", Level::Debug),
    ];

    fn is_enabled(self) -> bool {
        self as u8 <= LEVEL.load(Ordering::Relaxed)
    }
}

/// Sets the verbosity from the number of `-v` options, or else from the environment.
///
/// # Errors
/// Returns an error if the value of the environment variable is not a level.
pub fn listen(verbose: u8) -> Result<(), String> {
    let named = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
    let level = match (verbose, named) {
        (0, None) => Level::Warn,
        (0, Some(name)) => {
            let found = Level::NAMES
                .iter()
                .find(|(known, _)| known.eq_ignore_ascii_case(&name));
            let known = Level::NAMES.map(|(name, _)| name).join(", ");
            found
                .ok_or_else(|| format!("{VARIABLE} is `{name}`, and has to be one of {known}"))?
                .1
        }
        (1, _) => Level::Info,
        _ => Level::Debug,
    };
    LEVEL.store(level as u8, Ordering::Relaxed);
    Ok(())
}

/// Excludes arguments that may be private keys from all messages: a key passed as a file name or as
/// the value of an option would otherwise be quoted by the error. Names of existing files are shown
/// if they have an extension, since keys have none. Names of folders are hidden, because a command
/// such as `gecc man` may have created one from a key.
pub fn hide_secret_arguments() {
    let arguments = (1..).zip(std::env::args_os().skip(1));
    let hidden = arguments.flat_map(|(number, argument)| secret_parts(number, &argument));
    let mut hidden: Vec<(String, String)> = hidden.collect();
    hidden.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    hidden.dedup();
    let _ = HIDDEN.set(hidden);
}

/// Returns the parts of an argument that may be private keys, both as they are and as messages
/// escape them.
fn secret_parts(number: usize, argument: &OsStr) -> Vec<(String, String)> {
    if is_file_with_extension(Path::new(argument)) {
        return Vec::new();
    }
    let text = argument.to_string_lossy();
    match without_existing_folder(&text) {
        Some((option, name)) => [option, name]
            .into_iter()
            .flat_map(|part| secret_parts_of_text(number, part))
            .collect(),
        None => secret_parts_of_text(number, &text),
    }
}

/// Splits an absolute path in an existing folder, or an option with such a value, into the text
/// before the path and the name in the folder. Relative paths are not split: a base64 key with a
/// slash is one, and a command may have created a folder from its first half.
fn without_existing_folder(text: &str) -> Option<(&str, &str)> {
    let start = text.find('/')?;
    let (option, path) = text.split_at(start);
    let is_value = option.is_empty()
        || option.ends_with('=')
        || (option.len() == 2 && option.starts_with('-'));
    let (folder, name) = path.rsplit_once('/')?;
    // The folder of `/name` is the root.
    let is_folder = folder.is_empty() || Path::new(folder).is_dir();
    (is_value && is_folder).then_some((option, name))
}

/// Returns the parts of a text that may be private keys.
fn secret_parts_of_text(number: usize, text: &str) -> Vec<(String, String)> {
    // The value of `--option=VALUE`, `--columns field=VALUE` and `-oVALUE`, elements of lists, and
    // components of paths.
    let of_short = text.strip_prefix('-').and_then(|rest| rest.get(1..));
    let elements = text.split(|c: char| c.is_whitespace() || matches!(c, '=' | ',' | '/' | ':'));
    let wholes = [text, text.trim()]
        .into_iter()
        .chain(text.splitn(2, '='))
        .chain(of_short);
    let parts = wholes
        .chain(text.split(['=', ',']))
        .chain(text.split('/'))
        .chain(elements);
    // If a key was split by a separator, only its parts that are words are shown.
    let is_secret = may_be_secret(text.as_bytes());
    let mut hidden = Vec::new();
    for part in parts {
        let is_hidden =
            may_be_secret(part.as_bytes()) || (is_secret && part.len() >= 6 && !is_word(part));
        if !is_hidden || is_file_with_extension(Path::new(part)) {
            continue;
        }
        let replacement = format!(
            "(argument {number}: {} characters, not shown as they may be a key)",
            part.chars().count()
        );
        hidden.extend(printed_forms(part).map(|form| (form, replacement.clone())));
    }
    if is_secret && text.contains(is_binary) {
        hidden.extend(
            printable_pieces(text).map(|piece| (piece.to_owned(), "(not shown)".to_owned())),
        );
    }
    hidden
}

/// Returns the forms in which messages print a text: as it is, escaped in the ways of this program
/// and of the libraries that it uses, and without control characters and terminal sequences, as clap
/// prints it.
fn printed_forms(text: &str) -> impl Iterator<Item = String> {
    let quoted = format!("{text:?}");
    [
        text.to_owned(),
        text.escape_debug().to_string(),
        quoted[1..quoted.len() - 1].to_owned(),
        escaped(text, |_| false).into_owned(),
        text.replace(is_binary, ""),
        strip_str(text).to_string(),
    ]
    .into_iter()
}

/// Splits bytes that are not text at the characters that some message may leave out or escape.
/// Words are too common in messages to be hidden.
fn printable_pieces(text: &str) -> impl Iterator<Item = &str> {
    const FEWEST: usize = 3;
    let is_end = |c: char| is_binary(c) || c.is_whitespace() || "\\\"'=,/:".contains(c);
    text.split(is_end)
        .filter(|piece| piece.chars().count() >= FEWEST && !is_word(piece))
}

/// Returns whether a character occurs in bytes that are not text only.
fn is_binary(c: char) -> bool {
    c == char::REPLACEMENT_CHARACTER || (c.is_control() && !c.is_ascii_whitespace())
}

fn is_file_with_extension(path: &Path) -> bool {
    path.extension().is_some() && path.is_file()
}

/// Returns whether a text consists of letters and dashes, with letters that are all lowercase, all
/// uppercase, or lowercase after the first.
fn is_word(text: &str) -> bool {
    let mut letters = text.bytes().filter(|byte| !b"-_.".contains(byte));
    let Some(first) = letters.next() else {
        return true;
    };
    let mut rest = letters.clone();
    first.is_ascii_alphabetic()
        && (letters.all(|byte| byte.is_ascii_lowercase())
            || (first.is_ascii_uppercase() && rest.all(|byte| byte.is_ascii_uppercase())))
}

/// Replaces the arguments found by [`hide_secret_arguments`] in a text. Returns `None` if it
/// contains none of them.
pub fn without_secrets(text: &str) -> Option<String> {
    let hidden = HIDDEN
        .get()?
        .iter()
        .filter(|(secret, _)| text.contains(secret.as_str()));
    hidden.fold(None, |replaced: Option<String>, (secret, place)| {
        Some(
            replaced
                .as_deref()
                .unwrap_or(text)
                .replace(secret.as_str(), place),
        )
    })
}

/// Prints a message on standard error, without arguments that may be keys. Unlike `eprintln!`, it
/// does not panic if standard error is closed. Control characters, which may come from a name or an
/// input, are escaped so that a terminal does not interpret them.
pub fn note(text: &str) {
    let replaced = without_secrets(text);
    let _ = writeln!(
        io::stderr(),
        "{}",
        escaped(replaced.as_deref().unwrap_or(text), |c| c == '\n')
    );
}

/// Formats a path for messages, on one line. Characters that a terminal would interpret are
/// escaped.
pub fn shown_path(path: &Path) -> String {
    escaped(&path.to_string_lossy(), |_| false).into_owned()
}

/// Formats an error about a file or folder.
pub fn path_error(path: &Path, problem: impl Display) -> String {
    format!("{}: {problem}", shown_path(path))
}

/// Escapes control characters and those that change the direction of text, except those for which
/// `kept` holds.
fn escaped(text: &str, kept: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(|c| is_unsafe_in_terminal(c) && !kept(c)) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe_in_terminal(c) && !kept(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Returns whether a character is a control character, or changes the direction of text.
fn is_unsafe_in_terminal(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}

/// Prints a warning.
pub fn warn(text: &str) {
    if Level::Warn.is_enabled() {
        note(&format!("gecc: warning: {text}"));
    }
}

/// Logs a message about the engine, formats or columns in use.
pub fn info(text: impl FnOnce() -> String) {
    if Level::Info.is_enabled() {
        note(&format!("gecc: {}", text()));
    }
}

/// Logs details that help if something is slow or unexpected.
pub fn debug(text: impl FnOnce() -> String) {
    if Level::Debug.is_enabled() {
        note(&format!("gecc: {}", text()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hides an argument's parts in a message.
    fn hidden_in(argument: &str, message: &str) -> String {
        let mut parts = secret_parts(4, OsStr::new(argument));
        parts.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        parts
            .iter()
            .fold(message.to_owned(), |message, (text, place)| {
                message.replace(text, place)
            })
    }

    #[test]
    fn parts_of_split_keys_are_not_shown() {
        let halves = ["aB3dE5fG7", "h9JkL1mN2pQ4"];
        for argument in [halves.join("/"), halves.join("="), halves.join(",")] {
            for half in halves {
                let message = hidden_in(&argument, &format!("{half}: not found"));
                assert!(!message.contains(half), "{argument}: {message}");
                assert!(message.starts_with("(argument 4: "), "{message}");
            }
        }
    }

    /// Messages print an argument as it is, or escaped in one of several ways; clap leaves out
    /// control characters and terminal sequences.
    #[test]
    fn raw_keys_are_hidden_however_they_are_escaped() {
        let keys = [
            "A\"b'c\\d\u{1}efghijklmnopqrstuvwxyz{|}",
            "\u{1b}[41nLtSOFefghUItRhYmNkZWZnaHQr\u{7f}\\",
            "zk\\M>/\u{1a}\u{b}\u{fffd}~oZK<-\u{1e}\u{f}|m^O:+\u{1c}\r8Q#x\u{202e}",
        ];
        for key in keys {
            let quoted = format!("{key:?}");
            let forms = [
                key.to_owned(),
                shown_path(Path::new(key)),
                key.escape_debug().to_string(),
                quoted,
                key.replace(|c: char| c.is_control() && c != '\r', ""),
                strip_str(key).to_string(),
                format!("/folder/{key}"),
            ];
            for form in forms {
                let message = hidden_in(key, &form);
                for piece in ["efgh", "oZK<-", "m^O", "8Q#x", "d\\u{1}"] {
                    assert!(!message.contains(piece), "{form}: {message}");
                }
            }
        }
        let name = "a\u{1b}[31mcsv";
        assert!(hidden_in(name, "csv: no such file").starts_with("csv"));
    }

    #[test]
    fn existing_folders_are_shown_and_names_in_them_hidden() {
        let folder =
            std::env::temp_dir().join(format!("tmp.aB3dE5fG7h9JkL1m{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let folder_text = folder.to_str().unwrap();
        for option in ["", "--key-file=", "-o"] {
            let missing = format!("{option}{folder_text}/missing.csv");
            assert_eq!(hidden_in(&missing, &missing), missing);
            let key = "9d61b19deffd5a60ba844af492ec2cc4";
            let message = hidden_in(&format!("{option}{folder_text}/{key}"), key);
            assert!(
                message.starts_with("(argument 4: 32 characters"),
                "{message}"
            );
        }
        std::fs::remove_dir(&folder).unwrap();
        let missing = format!("{folder_text}/missing.csv");
        assert!(!hidden_in(&missing, folder_text).contains("aB3dE5"));
    }

    #[test]
    fn control_characters_and_direction_marks_are_escaped() {
        let name = "a\u{1b}[31m\r\nb\u{202e}\u{9b}\u{7f}é";
        assert_eq!(
            shown_path(Path::new(name)),
            "a\\u{1b}[31m\\r\\nb\\u{202e}\\u{9b}\\u{7f}é"
        );
        assert_eq!(escaped("two\nlines", |c| c == '\n'), "two\nlines");
        assert!(matches!(
            escaped("häufig", |_| false),
            Cow::Borrowed("häufig")
        ));
    }
}
