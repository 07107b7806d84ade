//! Problems of files.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A part of a file that could not be read as the format it claims to be. Data after it is checked
/// where it can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub path: Arc<Path>,
    /// The position in the file.
    pub place: FilePosition,
    /// A description of the problem, as a clause.
    pub what: String,
    /// True if everything could be read, but something was left unchecked for this reason.
    pub not_checked: bool,
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePosition {
    /// The file as a whole.
    Whole,
    /// A byte, counted from 0.
    Byte(u64),
    /// A row of a table, counted from 0.
    Row(u64),
    /// A block of a node, by its height.
    Block(u64),
}

/// The progress of reading files at the time of some answers.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Bytes of the files that were read for these answers.
    pub bytes: u64,
    /// Files that are complete.
    pub finished: Vec<Arc<Path>>,
    /// Problems of the files up to this point.
    pub problems: Vec<Problem>,
    /// Blocks of Ethereum that were compared with the transactions root in their headers.
    pub blocks: RootComparisons,
}

/// Numbers of blocks of Ethereum that were and were not compared with the transactions root in
/// their headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RootComparisons {
    /// Blocks whose root was computed, whether it matched the header or not.
    pub compared: u64,
    /// Blocks without a root, or with a transaction that could not be encoded; all blocks if
    /// comparing was turned off.
    pub not_compared: u64,
}

impl RootComparisons {
    /// Adds the counts of other blocks.
    pub fn add(&mut self, other: RootComparisons) {
        self.compared += other.compared;
        self.not_compared += other.not_compared;
    }
}

impl Progress {
    /// Appends progress that follows this one.
    pub fn append(&mut self, next: Progress) {
        self.bytes += next.bytes;
        self.finished.extend(next.finished);
        self.problems.extend(next.problems);
        self.blocks.add(next.blocks);
    }

    /// Returns the approximate memory use in bytes.
    pub(crate) fn held(&self) -> usize {
        self.problems.len() * (size_of::<Problem>() + LONGEST)
            + self.finished.len() * size_of::<Arc<Path>>()
    }
}

/// Maximum number of problems listed for a part of a file: a file may consist of nothing else.
const MOST: usize = 1000;

/// Lists a problem. After the maximum, one entry states that there are more.
pub(crate) fn note(problems: &mut Vec<Problem>, problem: Problem) {
    if problems.len() < MOST {
        problems.push(problem);
    } else if problems.len() == MOST {
        problems.push(Problem {
            what: "more problems follow, which are not listed".to_owned(),
            ..problem
        });
    }
}

/// Maximum length of a description, which may quote a part of the file itself.
const LONGEST: usize = 200;

/// Returns another crate's message, shortened if it is long, with control characters escaped.
pub(crate) fn brief(what: impl fmt::Display) -> String {
    let mut text = what.to_string();
    if text.contains(char::is_control) {
        text = text.chars().take(LONGEST + 1).map(escaped).collect();
    }
    if text.len() > LONGEST {
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

fn escaped(character: char) -> String {
    if character.is_control() {
        character.escape_default().to_string()
    } else {
        character.to_string()
    }
}

impl Problem {
    pub(crate) fn new(path: &Arc<Path>, place: FilePosition, what: impl fmt::Display) -> Self {
        Problem {
            path: Arc::clone(path),
            place,
            what: brief(what),
            not_checked: false,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: ", gecc::fields::shown_path(&self.path))?;
        match self.place {
            FilePosition::Whole => {}
            FilePosition::Byte(offset) => write!(to, "at byte {offset}: ")?,
            FilePosition::Row(row) => write!(to, "at row {row}: ")?,
            FilePosition::Block(height) => write!(to, "at block {height}: ")?,
        }
        to.write_str(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brief_escapes_control_characters_and_truncates_long_text() {
        assert_eq!(brief("héllo"), "héllo");
        assert_eq!(brief("a\n\u{1b}[31m"), "a\\n\\u{1b}[31m");
        let at_most = "é".repeat(LONGEST / 2);
        assert_eq!(brief(&at_most), at_most);
        let cut = format!("{at_most}…");
        assert_eq!(brief(format!("{at_most}a")), cut);
        assert_eq!(brief(format!("{at_most}\u{7}")), cut);
        // At most one character beyond the limit is looked at.
        let ascii = "a".repeat(LONGEST);
        assert_eq!(brief(format!("{ascii}aaaa\u{7}")), format!("{ascii}…"));
        assert_eq!(
            brief("\u{7}".repeat(1 << 20)),
            format!("{}…", &"\\u{7}".repeat(LONGEST)[..LONGEST])
        );
    }
}
