//! `gecc ecdh`.

use crate::flags::EcdhOptions;
use crate::input::keyfile::KeyFile;
use crate::job::{self, Columns, Operation, Reads, Results};
use crate::output::{Failure, Line};
use gecc::any::ecdh;
use gecc::{CurveId, Engine, Error};

pub fn run(options: EcdhOptions) -> Result<u8, Failure> {
    let keys = KeyFile::open(&options.key_file, options.curve, &options.stream)?;
    job::run(&Ecdh { keys, curve: options.curve }, &options.stream, false)
}

struct Ecdh {
    keys: KeyFile,
    curve: CurveId,
}

impl Operation for Ecdh {
    const PASSED: &'static str = "computed";
    const GIVES_SECRETS: bool = true;

    fn reads(&self) -> Reads {
        Reads { public_keys: true, ..Reads::default() }
    }

    fn width(&self) -> usize {
        32
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let (secrets, codes) = results.rows_of();
        self.keys.of_items(columns.numbers, codes.len(), |keys| {
            ecdh::shared_secrets_into(engine, self.curve, keys, columns.public_keys, secrets, codes)
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: job::TableAnswers) -> Result<(gecc_arrow::Operation, CurveId), String> {
        Ok((gecc_arrow::Operation::Ecdh(self.keys.for_tables()?), self.curve))
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
