//! Comparison of a command's answers with the expected ones.

use crate::{ALL_PASSED, SOME_REJECTED};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

const BUFFER: usize = 1 << 18;

/// The expected lines of an output.
pub enum Expected {
    /// The values of the member `valid`.
    Verdicts(Vec<bool>),
    /// The values of the member with the given name.
    Texts(&'static str, Vec<String>),
}

impl Expected {
    /// Returns the expectation for the first item only.
    pub fn first(&self) -> Self {
        match self {
            Expected::Verdicts(verdicts) => Expected::Verdicts(verdicts[..1].to_vec()),
            Expected::Texts(name, texts) => Expected::Texts(name, texts[..1].to_vec()),
        }
    }

    /// Returns the exit code of a command with these answers.
    pub fn code(&self) -> u8 {
        match self {
            Expected::Verdicts(verdicts) if verdicts.contains(&false) => SOME_REJECTED,
            _ => ALL_PASSED,
        }
    }

    fn len(&self) -> usize {
        match self {
            Expected::Verdicts(verdicts) => verdicts.len(),
            Expected::Texts(_, texts) => texts.len(),
        }
    }

    fn is(&self, item: usize, answer: &Answer) -> bool {
        match self {
            Expected::Verdicts(verdicts) => answer.valid == Some(verdicts[item]),
            Expected::Texts(name, texts) => answer.text(name) == Some(&texts[item]),
        }
    }

    /// Returns an error unless every line is as expected.
    pub fn compare(&self, output: &Path) -> Result<(), String> {
        let (lines, wrong) = self
            .count(output)
            .map_err(|problem| format!("{}: {problem}", output.display()))?;
        if lines != self.len() {
            return Err(format!("{lines} answers to {} items", self.len()));
        }
        if wrong > 0 {
            Err(format!("{wrong} of {lines} answers are wrong"))
        } else {
            Ok(())
        }
    }

    /// Counts the lines, and those that are not as expected.
    fn count(&self, output: &Path) -> io::Result<(usize, usize)> {
        let mut reader = BufReader::with_capacity(BUFFER, File::open(output)?);
        let mut lines = 0;
        let mut wrong = 0;
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line)? > 0 {
            let answer = serde_json::from_slice(&line);
            let is_right = answer.is_ok_and(|answer| lines < self.len() && self.is(lines, &answer));
            wrong += usize::from(!is_right);
            lines += 1;
            line.clear();
        }
        Ok((lines, wrong))
    }
}

/// The members of a line that contain the result.
#[derive(Deserialize)]
struct Answer<'a> {
    valid: Option<bool>,
    public_key: Option<&'a str>,
    signature: Option<&'a str>,
    shared_secret: Option<&'a str>,
}

impl<'a> Answer<'a> {
    fn text(&self, name: &str) -> Option<&'a str> {
        match name {
            "public_key" => self.public_key,
            "signature" => self.signature,
            "shared_secret" => self.shared_secret,
            _ => None,
        }
    }
}

/// Returns a hash of the output. Of several outputs with the same hash, only one needs to be
/// compared.
pub fn fingerprint(output: &Path) -> io::Result<[u8; 32]> {
    let mut file = File::open(output)?;
    let mut hash = Sha256::new();
    let mut block = vec![0; BUFFER];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hash.finalize().into()),
            length => hash.update(&block[..length]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(expected: &Expected, text: &str) -> Result<(), String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, text).unwrap();
        expected.compare(file.path())
    }

    #[test]
    fn wrong_and_missing_answers_are_detected() {
        let verdicts = Expected::Verdicts(vec![true, false]);
        let right = "{\"valid\":true}\n{\"valid\":false,\"reason\":\"r\",\"line\":2}\n";
        assert_eq!(compare(&verdicts, right), Ok(()));
        assert_eq!(
            compare(&verdicts, &right.replace("false", "true")),
            Err("1 of 2 answers are wrong".to_owned())
        );
        assert_eq!(
            compare(&verdicts, &right[..15]),
            Err("1 answers to 2 items".to_owned())
        );
        assert_eq!(
            compare(&verdicts, &right.repeat(2)),
            Err("4 answers to 2 items".to_owned())
        );
        assert_eq!(
            compare(&verdicts, "x\n{}\n"),
            Err("2 of 2 answers are wrong".to_owned())
        );
        assert_eq!(
            [verdicts.code(), verdicts.first().code()],
            [SOME_REJECTED, ALL_PASSED]
        );
        let keys = Expected::Texts("public_key", vec!["04ab".to_owned()]);
        assert_eq!(compare(&keys, "{\"public_key\":\"04ab\"}"), Ok(()));
        for wrong in [
            "{\"public_key\":\"04ac\"}",
            "{\"signature\":\"04ab\"}",
            "{\"error\":\"e\"}",
        ] {
            assert_eq!(
                compare(&keys, wrong),
                Err("1 of 1 answers are wrong".to_owned())
            );
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, right).unwrap();
        let before = fingerprint(file.path()).unwrap();
        std::fs::write(&file, right.replace("false", "true")).unwrap();
        assert_ne!(before, fingerprint(file.path()).unwrap());
    }
}
