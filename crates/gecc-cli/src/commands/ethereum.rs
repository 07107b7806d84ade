//! `gecc ethereum`.

use crate::chains::{self, Answered, Row};
#[cfg(unix)]
use crate::flags::SendersOptions;
use crate::flags::{EthereumCommand, blocks};
#[cfg(unix)]
use crate::interrupt;
#[cfg(unix)]
use crate::node::Node;
use crate::output::{Failure, Line};
#[cfg(feature = "arrow")]
use arrow_array::{ArrayRef, FixedSizeBinaryArray, StringArray, UInt32Array, UInt64Array};
#[cfg(feature = "arrow")]
use arrow_schema::{DataType, Field, Schema};
use gecc_chains::Progress;
use gecc_chains::ethereum::{Answer, Answers, Options, Reason, senders_as};
#[cfg(feature = "arrow")]
use std::sync::Arc;

pub fn run(command: EthereumCommand) -> Result<u8, Failure> {
    let EthereumCommand::Senders(given) = command;
    let options = Options { blocks: blocks(given.from, given.to)?, chain_id: given.chain_id };
    // It answers as long as it is there.
    #[cfg(unix)]
    let node = asked(&given)?;
    #[cfg(unix)]
    let paths = node.as_ref().map_or(given.paths, |node| vec![node.path()]);
    #[cfg(not(unix))]
    let paths = given.paths;
    chains::run::<Answer>(&paths, &given.chain, given.state.as_deref(), |session, former, put| {
        senders_as(&session.settings(), &session.paths, &options, former, put)
    })
}

/// The node, where one is to be asked.
#[cfg(unix)]
fn asked(given: &SendersOptions) -> Result<Option<Node>, Failure> {
    let (Some(url), Some(from), Some(to)) = (&given.rpc_url, given.from, given.to) else { return Ok(None) };
    let node = Node::ask(url, from..=to, interrupt::watch()?);
    Ok(Some(node.map_err(|problem| format!("{url}: {problem}"))?))
}

impl Answered for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

impl Row for Answer {
    const WHAT: &'static str = "signatures";
    const FIELDS: &'static [&'static str] = &["block", "hash", "authorization", "type", "from"];

    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn is_unsigned(&self) -> bool {
        self.reason == Some(Reason::Unsigned)
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
