//! `gecc certificates`.

use crate::chains::{
    self, AnswerField, AnswerGroup, AnswerRow, BlockOptions, FieldType, FieldValue, MissingValue,
};
use crate::flags::CertificatesOptions;
use crate::output::Failure;
use gecc_chains::certificates::{Answer, Answers, Options, check};
use gecc_chains::{FormatAnswers, Progress};
use std::ops::ControlFlow;

/// The number of answers that are written at a time.
const PUT_OUT: usize = 1 << 15;

pub fn run(options: CertificatesOptions) -> Result<u8, Failure> {
    let has_ids = !options.sm2_id.is_empty();
    let mut wanted = Options {
        exact_names: options.exact_names,
        ..Options::default()
    };
    if !options.sm2_id.is_empty() {
        wanted.sm2_user_ids = options.sm2_id.into_iter().map(String::into_bytes).collect();
    }
    chains::run::<Answer>(
        &options.paths,
        BlockOptions::default(),
        &options.chain,
        None,
        |session, former, put| {
            let Answers { answers, problems } =
                check(&session.settings(), &session.paths, &wanted)?;
            if has_ids
                && !answers.is_empty()
                && !answers
                    .iter()
                    .any(|answer| answer.kind().starts_with("SM2"))
            {
                let problem = "--sm2-id has no effect: no certificate is signed with SM2";
                return Ok(Some(Failure::Problem(problem.to_owned())));
            }
            let finished = session
                .paths
                .files
                .iter()
                .map(|(path, _)| path.clone())
                .collect();
            let mut progress = Progress {
                bytes: session.paths.bytes(),
                finished,
                problems,
                ..Progress::default()
            };
            let mut answers = answers.into_iter();
            loop {
                let part: AnswerPart = (
                    answers.by_ref().take(PUT_OUT).collect(),
                    std::mem::take(&mut progress),
                );
                let made = FormatAnswers::<AnswerPart>::batch(former, vec![former.part(part)]);
                if let ControlFlow::Break(failure) = put(made) {
                    return Ok(Some(failure));
                }
                if answers.len() == 0 {
                    return Ok(None);
                }
            }
        },
    )
}

/// A part of the answers.
type AnswerPart = (Vec<Answer>, Progress);

impl AnswerGroup for AnswerPart {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        self
    }
}

impl AnswerRow for Answer {
    const WHAT: &'static str = "certificates";
    const FIELDS: &'static [AnswerField<Self>] = &[
        AnswerField::new("file", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.path.to_string_lossy()))
        }),
        AnswerField::new("byte", FieldType::U64, MissingValue::Never, |row| {
            Some(FieldValue::Number(row.place))
        }),
        AnswerField::new("subject", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.subject.as_str().into()))
        }),
        AnswerField::new("issuer", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.issuer.as_str().into()))
        }),
        AnswerField::new("type", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.kind().into()))
        }),
    ];

    fn kind(&self) -> &'static str {
        self.algorithm.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }
}
