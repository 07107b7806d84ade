//! `gecc ethereum`.

use crate::chains::{self, Answered, Row};
use crate::flags::{EthereumCommand, SendersOptions};
use crate::output::{Failure, Line};
#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, FixedSizeBinaryArray, StringArray, UInt32Array, UInt64Array};
#[cfg(feature = "arrow")]
use arrow_schema::{DataType, Field, Schema};
use gecc_chains::ethereum::{Answer, Answers, Options, senders_as};
use gecc_chains::{Blocks, Progress};
#[cfg(feature = "arrow")]
use std::sync::Arc;

pub fn run(command: EthereumCommand) -> Result<u8, Failure> {
    let EthereumCommand::Senders(SendersOptions { from, to, chain_id, state, chain }) = command;
    let options = Options { blocks: Blocks { from, to }, chain_id };
    chain.refuse_csv()?;
    chains::run::<Answer>(&chain, state.as_deref(), |session, former, put| {
        senders_as(&session.settings(), &session.paths, &options, former, put)
    })
}

impl Answered for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

impl Row for Answer {
    const WHAT: &'static str = "signatures";

    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }

    fn write(&self, line: &mut Line) {
        if let Some(block) = self.block {
            line.number("block", block);
        }
        line.hex("hash", "0x", self.hash.as_slice());
        if let Some(authorization) = self.authorization {
            line.number("authorization", authorization.into());
        }
        line.text("type", self.kind.name());
        match self.from {
            Some(from) => line.hex("from", "0x", from.as_slice()),
            None => line.json("from", b"null"),
        }
    }

    #[cfg(feature = "arrow")]
    fn schema() -> Schema {
        Schema::new(vec![
            Field::new("block", DataType::UInt64, true),
            Field::new("hash", DataType::FixedSizeBinary(32), false),
            Field::new("authorization", DataType::UInt32, true),
            Field::new("type", DataType::Utf8, false),
            Field::new("from", DataType::FixedSizeBinary(20), true),
        ])
    }

    #[cfg(feature = "arrow")]
    fn columns(rows: &[&Self]) -> Vec<ArrayRef> {
        let hashes = rows.iter().map(|row| Some(row.hash.as_slice()));
        let from = rows.iter().map(|row| row.from.as_ref().map(|from| from.as_slice()));
        let fixed = |cells: FixedSizeBinaryArray| Arc::new(cells) as ArrayRef;
        vec![
            Arc::new(rows.iter().map(|row| row.block).collect::<UInt64Array>()),
            fixed(FixedSizeBinaryArray::try_from_sparse_iter_with_size(hashes, 32).expect("a hash has 32 bytes")),
            Arc::new(rows.iter().map(|row| row.authorization).collect::<UInt32Array>()),
            Arc::new(rows.iter().map(|row| Some(row.kind.name())).collect::<StringArray>()),
            fixed(FixedSizeBinaryArray::try_from_sparse_iter_with_size(from, 20).expect("an address has 20 bytes")),
        ]
    }
}
