//! `gecc mask` and `gecc unmask`.

use crate::flags::{MaskOptions, StreamOptions, UnmaskOptions};
use crate::input::keyfile::KeySource;
use crate::job;
use crate::operation::CommandOperation;
use crate::output::Failure;
use gecc::call::{Operation, Options};
use gecc::hash_to_curve::{Dst, Suite};
use std::path::Path;

/// Runs `gecc mask`.
pub fn mask(options: MaskOptions) -> Result<u8, Failure> {
    let MaskOptions {
        suite,
        curve,
        dst,
        key_file,
        text_messages,
        form,
        mut stream,
    } = options;
    stream.text_messages = text_messages;
    let form = form.selected();
    let (operation, dst) = match (suite, curve) {
        (Some(suite), _) => (
            Operation::MaskItems(suite, form),
            tag(suite, dst.as_deref())?,
        ),
        (None, Some(curve)) => (Operation::MaskPoints(curve, form), Dst::NONE),
        (None, None) => unreachable!("clap requires one of them"),
    };
    run(operation, dst, &key_file, &stream)
}

/// Runs `gecc unmask`.
pub fn unmask(options: UnmaskOptions) -> Result<u8, Failure> {
    let operation = Operation::UnmaskPoints(options.curve, options.form.selected());
    run(operation, Dst::NONE, &options.key_file, &options.stream)
}

fn run(
    operation: Operation,
    dst: Dst,
    key_file: &Path,
    stream: &StreamOptions,
) -> Result<u8, Failure> {
    let keys = KeySource::open(Some(key_file), operation.into(), stream)?;
    let operation = CommandOperation {
        keys,
        options: Options {
            dst,
            ..Options::default()
        },
        ..operation.into()
    };
    job::run(&operation, stream)
}

/// Returns the domain separation tag, which some suites require and others do not take.
fn tag(suite: Suite, given: Option<&str>) -> Result<Dst, String> {
    match given {
        Some(text) if suite.takes_dst() && !text.is_empty() => Ok(Dst::new(text.as_bytes())),
        None if !suite.takes_dst() => Ok(Dst::NONE),
        Some(_) if !suite.takes_dst() => Err(format!(
            "--dst has no effect: {suite} takes no domain separation tag"
        )),
        _ => Err(format!(
            "{suite} requires the domain separation tag of the application: --dst TEXT"
        )),
    }
}
