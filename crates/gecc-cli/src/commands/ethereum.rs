//! `gecc ethereum`.

use crate::chains::{self, Absent, Answered, Field, Holds, Noted, Row, Value};
#[cfg(unix)]
use crate::flags::SendersOptions;
use crate::flags::{EthereumCommand, blocks};
use crate::input::open::is_standard_stream;
#[cfg(unix)]
use crate::interrupt;
#[cfg(unix)]
use crate::node::Node;
use crate::output::Failure;
use gecc_chains::Progress;
use gecc_chains::ethereum::{Answer, Answers, Options, Reason, senders_as};

pub fn run(command: EthereumCommand) -> Result<u8, Failure> {
    let EthereumCommand::Senders(given) = command;
    let blocks = blocks(given.from, given.to)?;
    let only_rejected = given.chain.only_rejected;
    let options = Options {
        blocks,
        chain_id: given.chain_id,
        at_block: given.at_block,
        only_rejected,
        skip_roots: given.skip_roots,
    };
    if given.state.is_some() && !given.paths.is_empty() && given.paths.iter().all(|path| is_standard_stream(path)) {
        return Err("--state notes files that are done: standard input is none".to_owned().into());
    }
    // The node serves blocks for as long as this value exists.
    #[cfg(unix)]
    let node = asked(&given)?;
    #[cfg(unix)]
    let paths = node.as_ref().map_or(given.paths, |node| vec![node.path()]);
    #[cfg(not(unix))]
    let paths = given.paths;
    #[cfg(unix)]
    let has_node = node.is_some();
    #[cfg(not(unix))]
    let has_node = false;
    let said = [
        ("--from", given.from.map(|number| number.to_string())),
        ("--to", given.to.map(|number| number.to_string())),
        ("--chain-id", given.chain_id.map(|number| number.to_string())),
        ("--at-block", given.at_block.map(|number| number.to_string())),
        ("--skip-roots", given.skip_roots.then(String::new)),
    ];
    let state = given.state.as_deref().map(|path| Noted::new(path, "ethereum senders", &said, &given.chain));
    let is_of_some = given.from.is_some() || given.to.is_some();
    chains::run::<Answer>(&paths, has_node, is_of_some, &given.chain, state, |session, former, put| {
        senders_as(&session.settings(), &session.paths, &options, former, put)
    })
}

/// Connects to the node, if one is requested.
#[cfg(unix)]
fn asked(given: &SendersOptions) -> Result<Option<Node>, Failure> {
    let (Some(url), Some(from), Some(to)) = (&given.rpc_url, given.from, given.to) else { return Ok(None) };
    let memory = chains::memory_for_files(given.chain.engine.max_memory, true);
    let node = Node::ask(url, from..=to, memory, interrupt::watch()?);
    Ok(Some(node?))
}

impl Answered for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

impl Row for Answer {
    const WHAT: &'static str = "signatures";
    const COUNTS_BLOCKS: bool = true;
    const FIELDS: &'static [Field<Self>] = &[
        Field::new("block", Holds::U64, Absent::LeftOut, |row| row.block.map(Value::Number)),
        Field::new("hash", Holds::Bytes(32, "0x"), Absent::Never, |row| Some(Value::Bytes(row.hash.as_slice()))),
        Field::new("authorization", Holds::U32, Absent::LeftOut, |row| {
            row.authorization.map(|at| Value::Number(at.into()))
        }),
        Field::new("type", Holds::Text, Absent::Never, |row| Some(Value::Text(row.kind().into()))),
        Field::new("from", Holds::Bytes(20, "0x"), Absent::Null, |row| {
            row.from.as_ref().map(|at| Value::Bytes(&at[..]))
        }),
    ];

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
}
