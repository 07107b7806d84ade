//! `gecc recover`.

use crate::flags::RecoverOptions;
use crate::job;
#[cfg(feature = "arrow")]
use crate::operation::TableAnswers;
use crate::operation::{Columns, Operation, Reads, RecoveryIds, Results};
use crate::output::{Failure, Line};
use gecc::{CurveId, Engine, Error, ecdsa};

pub fn run(options: RecoverOptions) -> Result<u8, Failure> {
    let RecoverOptions { curve, addresses, hash, mut stream } = options;
    stream.read_messages(hash);
    if addresses && curve != CurveId::Secp256k1 {
        return Err("--addresses is for secp256k1, the curve of Ethereum's accounts".to_owned().into());
    }
    job::run(&Recover { curve, addresses }, &stream)
}

struct Recover {
    curve: CurveId,
    addresses: bool,
}

impl Operation for Recover {
    const PASSED: &'static str = "recovered";

    fn reads(&self) -> Reads {
        Reads { contents: true, signatures: true, recovery_ids: RecoveryIds::Required, ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        self.curve
    }

    fn fields(&self) -> Vec<&'static str> {
        vec![if self.addresses { "address" } else { "public_key" }]
    }

    fn width(&self) -> usize {
        if self.addresses { 20 } else { 64 }
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let Columns { contents, signatures, recovery_ids, .. } = columns;
        let digests = contents.digests();
        if self.addresses {
            let (addresses, codes) = results.rows_of();
            return ecdsa::recover_addresses_into(engine, digests, *signatures, *recovery_ids, addresses, codes);
        }
        let (keys, codes) = results.rows_of();
        ecdsa::recover_into(engine, self.curve, digests, *signatures, *recovery_ids, keys, codes)
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        let signer = match answers {
            _ if self.addresses => gecc_arrow::Signer::Address,
            TableAnswers::Lines => gecc_arrow::Signer::PublicKey(gecc_arrow::KeyForm::Raw),
            TableAnswers::Columns => gecc_arrow::Signer::PublicKey(gecc_arrow::KeyForm::Uncompressed),
        };
        (gecc_arrow::Operation::Recover(signer), self.curve)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        match self.addresses {
            true => answers.with_rows::<20>("address", results.as_chunks().0.to_vec()),
            false => answers.with_keys(results.as_chunks().0.to_vec(), gecc_arrow::KeyForm::Uncompressed),
        }
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        if self.addresses {
            line.hex("address", "0x", result);
        } else {
            line.hex("public_key", "04", result);
        }
    }
}
