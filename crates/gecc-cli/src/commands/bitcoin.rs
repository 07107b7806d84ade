//! `gecc bitcoin`.

use crate::chains::{self, Answered, Row};
use crate::flags::{BitcoinCommand, InputsOptions, blocks};
use crate::output::{Failure, Line};
#[cfg(feature = "arrow")]
use crate::silent;
#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, FixedSizeBinaryArray, StringArray, UInt32Array, UInt64Array};
#[cfg(feature = "arrow")]
use arrow_schema::{DataType, Field, Schema};
use gecc_chains::Progress;
use gecc_chains::bitcoin::{Answer, Answers, verify_as};
#[cfg(feature = "arrow")]
use std::sync::Arc;

pub fn run(command: BitcoinCommand) -> Result<u8, Failure> {
    let InputsOptions { paths, from, to, state, equations, mut chain } = match command {
        BitcoinCommand::Verify(options) => options,
        #[cfg(feature = "arrow")]
        BitcoinCommand::Index(options) => return silent::index(&options),
        #[cfg(feature = "arrow")]
        BitcoinCommand::Scan(options) => return silent::scan(&options),
    };
    chain.engine.batch_equations = equations.batch_equations;
    let blocks = blocks(from, to)?;
    chains::run::<Answer>(&paths, &chain, state.as_deref(), |session, former, put| {
        verify_as(&session.settings(), &session.paths, blocks, former, put)
    })
}

impl Answered for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

/// As people write them: the last byte first.
fn shown(answer: &Answer) -> [u8; 32] {
    let mut txid = answer.txid.0;
    txid.reverse();
    txid
}

impl Row for Answer {
    const WHAT: &'static str = "inputs";
    const FIELDS: &'static [&'static str] = &["block", "txid", "input", "type"];

    fn kind(&self) -> &'static str {
        self.template.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }

    fn write(&self, line: &mut Line) {
        if let Some(height) = self.height {
            line.number("block", height);
        }
        line.hex("txid", "", &shown(self));
        line.number("input", self.input.into());
        line.text("type", self.template.name());
    }

    #[cfg(feature = "arrow")]
    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("block", DataType::UInt64, true),
            Field::new("txid", DataType::FixedSizeBinary(32), false),
            Field::new("input", DataType::UInt32, false),
            Field::new("type", DataType::Utf8, false),
        ])
    }

    #[cfg(feature = "arrow")]
    fn columns(rows: &[&Self]) -> Vec<ArrayRef> {
        let txids = rows.iter().map(|row| Some(shown(row)));
        let txids = FixedSizeBinaryArray::try_from_sparse_iter_with_size(txids, 32).expect("a hash has 32 bytes");
        vec![
            Arc::new(rows.iter().map(|row| row.height).collect::<UInt64Array>()),
            Arc::new(txids),
            Arc::new(rows.iter().map(|row| Some(row.input)).collect::<UInt32Array>()),
            Arc::new(rows.iter().map(|row| Some(row.template.name())).collect::<StringArray>()),
        ]
    }
}
