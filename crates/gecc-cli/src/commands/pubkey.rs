//! `gecc pubkey`.

use crate::flags::PubkeyOptions;
use crate::job;
use crate::operation::{Operation, ResultForm};
use crate::output::Failure;
use gecc::call;

pub fn run(options: PubkeyOptions) -> Result<u8, Failure> {
    let form = if options.compressed { ResultForm::Compressed } else { ResultForm::Plain };
    let operation = Operation { form, ..call::Operation::PublicKeys(options.curve).into() };
    job::run(&operation, &options.stream)
}
