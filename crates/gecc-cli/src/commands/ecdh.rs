//! `gecc ecdh`.

use crate::flags::EcdhOptions;
use crate::input::keyfile::Keys;
use crate::job;
use crate::operation::Operation;
use crate::output::Failure;
use gecc::call;

pub fn run(options: EcdhOptions) -> Result<u8, Failure> {
    let keys = Keys::open(options.key_file.as_deref(), options.curve.into(), &options.stream)?;
    let operation = Operation { keys, ..call::Operation::SharedSecrets(options.curve).into() };
    job::run(&operation, &options.stream)
}
