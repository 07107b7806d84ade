//! `gecc ecdh`.

use crate::flags::EcdhOptions;
use crate::input::keyfile::Keys;
use crate::job;
#[cfg(feature = "arrow")]
use crate::operation::TableAnswers;
use crate::operation::{Columns, Operation, Reads, Results};
use crate::output::{Failure, Line};
use gecc::ecdh;
use gecc::{CurveId, Engine, Error};

pub fn run(options: EcdhOptions) -> Result<u8, Failure> {
    let keys = Keys::open(options.key_file.as_deref(), options.curve, &options.stream)?;
    job::run(&Ecdh { keys, curve: options.curve }, &options.stream)
}

struct Ecdh {
    keys: Keys,
    curve: CurveId,
}

impl Operation for Ecdh {
    const PASSED: &'static str = "computed";
    const GIVES_SECRETS: bool = true;

    fn reads(&self) -> Reads {
        Reads { public_keys: true, secret_keys: self.keys.are_of_items(), ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        self.curve
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["shared_secret"]
    }

    fn width(&self) -> usize {
        32
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let (secrets, codes) = results.rows_of();
        self.keys.of_items(columns, codes.len(), |keys| {
            ecdh::shared_secrets_into(engine, self.curve, keys, columns.public_keys, secrets, codes)
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        (gecc_arrow::Operation::Ecdh(self.keys.for_tables()), self.curve)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        answers.with_secret_rows("shared_secret", zeroize::Zeroizing::new(results.as_chunks().0.to_vec()))
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        line.hex("shared_secret", "", result);
    }

    fn limit(&self) -> Option<(u64, String)> {
        self.keys.limit()
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}
