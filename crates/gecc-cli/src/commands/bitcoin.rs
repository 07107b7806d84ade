//! `gecc bitcoin`.

use crate::chains::{
    self, AnswerField, AnswerGroup, AnswerRow, BlockOptions, FieldType, FieldValue, MissingValue,
    StateFile, displayed_txid,
};
use crate::flags::{BitcoinCommand, InputsOptions, blocks};
use crate::input::open::is_standard_stream;
use crate::node;
use crate::output::Failure;
#[cfg(feature = "arrow")]
use crate::silent_payments;
use gecc_chains::bitcoin::{Answer, Answers, require_blocks, verify_formatted};
use gecc_chains::{Paths, Progress};
use std::path::PathBuf;

pub fn run(command: BitcoinCommand) -> Result<u8, Failure> {
    let InputsOptions {
        paths,
        rest_url,
        magic,
        from,
        to,
        state,
        batch_verification,
        mut chain,
    } = match command {
        BitcoinCommand::Verify(options) => options,
        #[cfg(feature = "arrow")]
        BitcoinCommand::Index(options) => {
            refuse_standard_input(&options.paths)?;
            return silent_payments::index(&options);
        }
        #[cfg(feature = "arrow")]
        BitcoinCommand::Scan(options) => return silent_payments::scan(&options),
        #[cfg(not(feature = "arrow"))]
        BitcoinCommand::Index(_) | BitcoinCommand::Scan(_) => {
            return Err(crate::WITHOUT_TABLES.to_owned().into());
        }
    };
    chain.engine.batch_verification = batch_verification;
    let blocks = blocks(from, to)?;
    refuse_standard_input(&paths)?;
    let memory = chains::memory_for_files(chain.engine.max_memory, true);
    let node = node::connect(rest_url.as_ref(), blocks, memory)?;
    let own_options = [
        ("--from", from.map(|height| height.to_string())),
        ("--to", to.map(|height| height.to_string())),
        ("--magic", magic.map(const_hex::encode)),
    ];
    let state = state
        .as_deref()
        .map(|path| StateFile::new(path, "bitcoin verify", &own_options, &chain));
    let options = BlockOptions {
        has_node: node.is_some(),
        selects_some: from.is_some() || to.is_some(),
        ..BlockOptions::default()
    };
    chains::run::<Answer>(&paths, options, &chain, state, |session, former, put| {
        let chain = node::source(node, &session.paths, magic);
        verify_formatted(&session.settings(), chain, blocks, former, put)
    })
}

/// Refuses standard input: the outputs that blocks spend are in a file next to the block file.
fn refuse_standard_input(paths: &[PathBuf]) -> Result<(), String> {
    match paths.iter().any(|path| is_standard_stream(path)) {
        true => Err(
            "blocks of Bitcoin are read with the files next to them, and not from standard input"
                .to_owned(),
        ),
        false => Ok(()),
    }
}

impl AnswerGroup for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

impl AnswerRow for Answer {
    const WHAT: &'static str = "inputs";
    const FIELDS: &'static [AnswerField<Self>] = &[
        AnswerField::new("block", FieldType::U64, MissingValue::LeftOut, |row| {
            row.height.map(FieldValue::Number)
        }),
        AnswerField::new(
            "txid",
            FieldType::Bytes(32, ""),
            MissingValue::Never,
            |row| Some(FieldValue::Hash(displayed_txid(&row.txid))),
        ),
        AnswerField::new("input", FieldType::U32, MissingValue::Never, |row| {
            Some(FieldValue::Number(row.input.into()))
        }),
        AnswerField::new("type", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.kind().into()))
        }),
    ];

    fn require_input(paths: &Paths) -> Result<(), String> {
        require_blocks(paths)
    }

    fn kind(&self) -> &'static str {
        self.template.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }
}
