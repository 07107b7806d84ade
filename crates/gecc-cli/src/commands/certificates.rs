//! `gecc certificates`.

use crate::chains::{self, Answered, Row};
use crate::flags::CertificatesOptions;
use crate::output::{Failure, Line};
#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, StringArray, UInt64Array};
#[cfg(feature = "arrow")]
use arrow_schema::{DataType, Field, Schema};
use gecc_chains::certificates::{Answer, Answers, Options, check};
use gecc_chains::{Form, Progress};
use std::ops::ControlFlow;
#[cfg(feature = "arrow")]
use std::sync::Arc;

/// Answers that are put out at a time.
const PUT_OUT: usize = 1 << 15;

pub fn run(options: CertificatesOptions) -> Result<u8, Failure> {
    let mut wanted = Options::default();
    if !options.sm2_id.is_empty() {
        wanted.sm2_user_ids = options.sm2_id.into_iter().map(String::into_bytes).collect();
    }
    chains::run::<Answer>(&options.paths, &options.chain, None, |session, former, put| {
        let Answers { answers, problems } = check(&session.settings(), &session.paths, &wanted)?;
        let finished = session.paths.files.iter().map(|(path, _)| path.clone()).collect();
        let mut progress = Progress { bytes: session.paths.bytes(), finished, problems };
        let mut answers = answers.into_iter();
        loop {
            let part = Part(answers.by_ref().take(PUT_OUT).collect(), std::mem::take(&mut progress));
            let made = Form::<Part>::batch(former, vec![former.part(part)]);
            if let ControlFlow::Break(failure) = put(made) {
                return Ok(Some(failure));
            }
            if answers.len() == 0 {
                return Ok(None);
            }
        }
    })
}

/// Some of the answers.
struct Part(Vec<Answer>, Progress);

impl Answered for Part {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.0, self.1)
    }
}

impl Row for Answer {
    const WHAT: &'static str = "certificates";
    const FIELDS: &'static [&'static str] = &["file", "byte", "subject", "issuer", "type"];

    fn kind(&self) -> &'static str {
        self.algorithm.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }

    fn write(&self, line: &mut Line) {
        line.text("file", &self.path.to_string_lossy());
        line.number("byte", self.place);
        line.text("subject", &self.subject);
        line.text("issuer", &self.issuer);
        line.text("type", self.algorithm.name());
    }

    #[cfg(feature = "arrow")]
    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("file", DataType::Utf8, false),
            Field::new("byte", DataType::UInt64, false),
            Field::new("subject", DataType::Utf8, false),
            Field::new("issuer", DataType::Utf8, false),
            Field::new("type", DataType::Utf8, false),
        ])
    }

    #[cfg(feature = "arrow")]
    fn columns(rows: &[&Self]) -> Vec<ArrayRef> {
        let texts = |text: fn(&Self) -> String| {
            Arc::new(rows.iter().map(|row| Some(text(row))).collect::<StringArray>()) as ArrayRef
        };
        vec![
            texts(|row| row.path.to_string_lossy().into_owned()),
            Arc::new(rows.iter().map(|row| Some(row.place)).collect::<UInt64Array>()),
            texts(|row| row.subject.clone()),
            texts(|row| row.issuer.clone()),
            texts(|row| row.algorithm.name().to_owned()),
        ]
    }
}
