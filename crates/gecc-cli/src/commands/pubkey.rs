//! `gecc pubkey`.

use crate::flags::PubkeyOptions;
use crate::job;
#[cfg(feature = "arrow")]
use crate::operation::TableAnswers;
use crate::operation::{Columns, Operation, Reads, Results};
use crate::output::{Failure, Line};
use gecc::keys;
use gecc::{CurveId, Engine, Error, SecretKeys};

pub fn run(options: PubkeyOptions) -> Result<u8, Failure> {
    job::run(&Pubkey { compressed: options.compressed, curve: options.curve }, &options.stream)
}

struct Pubkey {
    compressed: bool,
    curve: CurveId,
}

#[cfg(feature = "arrow")]
impl Pubkey {
    /// In columns.
    fn form(&self) -> gecc_arrow::KeyForm {
        if self.compressed { gecc_arrow::KeyForm::Compressed } else { gecc_arrow::KeyForm::Uncompressed }
    }
}

impl Operation for Pubkey {
    const PASSED: &'static str = "computed";

    fn reads(&self) -> Reads {
        Reads { secret_keys: true, ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        self.curve
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["public_key"]
    }

    fn width(&self) -> usize {
        64
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let (public_keys, codes) = results.rows_of();
        keys::public_keys_into(engine, self.curve, SecretKeys::rows(columns.secret_keys), public_keys, codes)
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        let form = match answers {
            TableAnswers::Lines => gecc_arrow::KeyForm::Raw,
            TableAnswers::Columns => self.form(),
        };
        (gecc_arrow::Operation::PublicKeys(form), self.curve)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        answers.with_keys(results.as_chunks().0.to_vec(), self.form())
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        match result.split_at_checked(32) {
            Some((x, y)) if self.compressed => line.hex("public_key", if y[31] % 2 == 0 { "02" } else { "03" }, x),
            _ => line.hex("public_key", "04", result),
        }
    }
}
