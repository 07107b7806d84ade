//! `gecc ethereum`.

use crate::chains::{
    self, AnswerField, AnswerGroup, AnswerRow, BlockOptions, FieldType, FieldValue, MissingValue,
    StateFile,
};
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
use gecc_chains::ethereum::{Answer, Answers, Options, Reason, senders_formatted};

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
    if given.state.is_some()
        && !given.paths.is_empty()
        && given.paths.iter().all(|path| is_standard_stream(path))
    {
        return Err(
            "--state records files that are done, and standard input is not a file"
                .to_owned()
                .into(),
        );
    }
    // The node serves blocks for as long as this value exists.
    #[cfg(unix)]
    let node = connected_node(&given)?;
    #[cfg(unix)]
    let paths = node.as_ref().map_or(given.paths, |node| vec![node.path()]);
    #[cfg(not(unix))]
    let paths = given.paths;
    #[cfg(unix)]
    let has_node = node.is_some();
    #[cfg(not(unix))]
    let has_node = false;
    let own_options = [
        ("--from", given.from.map(|number| number.to_string())),
        ("--to", given.to.map(|number| number.to_string())),
        (
            "--chain-id",
            given.chain_id.map(|number| number.to_string()),
        ),
        (
            "--at-block",
            given.at_block.map(|number| number.to_string()),
        ),
        ("--skip-roots", given.skip_roots.then(String::new)),
    ];
    let state = given
        .state
        .as_deref()
        .map(|path| StateFile::new(path, "ethereum senders", &own_options, &given.chain));
    let blocks = BlockOptions {
        has_node,
        selects_some: given.from.is_some() || given.to.is_some(),
        at_block: given.at_block.is_some(),
    };
    chains::run::<Answer>(
        &paths,
        blocks,
        &given.chain,
        state,
        |session, former, put| {
            senders_formatted(&session.settings(), &session.paths, &options, former, put)
        },
    )
}

/// Connects to the node, if one is requested.
#[cfg(unix)]
fn connected_node(given: &SendersOptions) -> Result<Option<Node>, Failure> {
    let (Some(url), Some(from), Some(to)) = (&given.rpc_url, given.from, given.to) else {
        return Ok(None);
    };
    let memory = chains::memory_for_files(given.chain.engine.max_memory, true);
    let node = Node::connect(url, from..=to, memory, interrupt::watch()?);
    Ok(Some(node?))
}

impl AnswerGroup for Answers {
    type Row = Answer;

    fn take(self) -> (Vec<Answer>, Progress) {
        (self.answers, self.progress)
    }
}

impl AnswerRow for Answer {
    const WHAT: &'static str = "signatures";
    const COUNTS_BLOCKS: bool = true;
    const FIELDS: &'static [AnswerField<Self>] = &[
        AnswerField::new("block", FieldType::U64, MissingValue::LeftOut, |row| {
            row.block.map(FieldValue::Number)
        }),
        AnswerField::new(
            "hash",
            FieldType::Bytes(32, "0x"),
            MissingValue::Never,
            |row| Some(FieldValue::Bytes(row.hash.as_slice())),
        ),
        AnswerField::new(
            "authorization",
            FieldType::U32,
            MissingValue::LeftOut,
            |row| row.authorization.map(|at| FieldValue::Number(at.into())),
        ),
        AnswerField::new("type", FieldType::Text, MissingValue::Never, |row| {
            Some(FieldValue::Text(row.kind().into()))
        }),
        AnswerField::new(
            "from",
            FieldType::Bytes(20, "0x"),
            MissingValue::Null,
            |row| row.from.as_ref().map(|at| FieldValue::Bytes(&at[..])),
        ),
    ];

    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn valid(&self) -> Option<bool> {
        Answer::valid(self)
    }

    fn states_block(&self) -> bool {
        self.block.is_some()
    }

    fn is_unsigned(&self) -> bool {
        self.reason == Some(Reason::Unsigned)
    }

    fn reason(&self) -> Option<String> {
        self.reason.as_ref().map(ToString::to_string)
    }
}
