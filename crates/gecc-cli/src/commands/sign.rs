//! `gecc sign`.

use crate::curve::Scheme;
use crate::flags::SignOptions;
use crate::input::keyfile::KeyFile;
use crate::job::{self, Columns, Contents, Operation, Reads, Results};
use crate::output::{Failure, Line};
use gecc::ecdsa::SForm;
use gecc::{CurveId, Engine, Error, Rejection, Verdict, any, signature_to_der, sm2};

/// Bytes of `r || s`; a recovery id comes after them.
const SIGNATURE: usize = 64;

pub fn run(mut options: SignOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let (curve, recoverable, der) = (options.curve, options.recoverable, options.der);
    let keys = || KeyFile::open(&options.key_file, curve, &options.stream);
    match Scheme::of(curve) {
        Scheme::Ecdsa => job::run(&Ecdsa { keys: keys()?, curve, recoverable, der }, &options.stream, false),
        Scheme::Sm2 if recoverable => Err("--recoverable is for ECDSA; SM2 has no recovery id".to_owned().into()),
        Scheme::Sm2 => job::run(&Sm2 { keys: keys()?, der }, &options.stream, false),
    }
}

fn answer_signature(signature: &[u8], der: bool, line: &mut Line) {
    match signature.try_into() {
        Ok(signature) if der => line.hex("der", "", &signature_to_der(signature)),
        _ => line.hex("signature", "", signature),
    }
}

/// Columns of signatures have a fixed width, which DER has not.
#[cfg(feature = "arrow")]
fn signing_tables(
    keys: &KeyFile,
    answers: job::TableAnswers,
    recovery_id: bool,
    der: bool,
) -> Result<gecc_arrow::Operation, String> {
    if der && answers == job::TableAnswers::Columns {
        return Err("--der goes with answers in JSON Lines: add --output-format jsonl".to_owned());
    }
    let signing = gecc_arrow::Signing { key: keys.for_tables()?, s_form: SForm::default(), recovery_id };
    Ok(gecc_arrow::Operation::Sign(signing))
}

struct Ecdsa {
    keys: KeyFile,
    curve: CurveId,
    recoverable: bool,
    der: bool,
}

impl Operation for Ecdsa {
    const PASSED: &'static str = "signed";

    fn reads(&self) -> Reads {
        Reads { contents: true, ..Reads::default() }
    }

    fn width(&self) -> usize {
        SIGNATURE + usize::from(self.recoverable)
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let digests = columns.contents.digests();
        self.keys.of_items(columns.numbers, results.codes.len(), |keys| {
            if !self.recoverable {
                let (signatures, codes) = results.rows_of();
                return any::ecdsa::sign_into(engine, self.curve, digests, keys, SForm::default(), signatures, codes);
            }
            let digests: Vec<[u8; 32]> = (0..results.codes.len()).map(|item| *digests.get(item)).collect();
            let signed = any::ecdsa::sign_recoverable(engine, self.curve, &digests, keys, SForm::default())?;
            let rows = results.rows.chunks_exact_mut(SIGNATURE + 1);
            for ((signed, row), code) in signed.into_iter().zip(rows).zip(results.codes) {
                *code = signed.as_ref().err().map_or(Verdict::VALID_CODE, |rejection| rejection.code());
                if let Ok(signed) = signed {
                    row[..SIGNATURE].copy_from_slice(&signed.signature);
                    row[SIGNATURE] = signed.recovery_id;
                }
            }
            Ok(())
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: job::TableAnswers) -> Result<(gecc_arrow::Operation, CurveId), String> {
        signing_tables(&self.keys, answers, self.recoverable, self.der).map(|signing| (signing, self.curve))
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        let (signature, recovery_id) = result.split_at(SIGNATURE);
        answer_signature(signature, self.der, line);
        if let [recovery_id] = recovery_id {
            line.number("recovery_id", u64::from(*recovery_id));
        }
    }

    fn limit(&self) -> Option<(u64, String)> {
        self.keys.limit()
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}

struct Sm2 {
    keys: KeyFile,
    der: bool,
}

impl Operation for Sm2 {
    const PASSED: &'static str = "signed";

    fn reads(&self) -> Reads {
        Reads { contents: true, messages: true, ..Reads::default() }
    }

    fn width(&self) -> usize {
        SIGNATURE
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        self.keys.of_items(columns.numbers, results.codes.len(), |keys| {
            let (signatures, codes) = results.rows_of();
            let (messages, ids) = match columns.contents {
                Contents::Digests(digests) => return sm2::sign_into(engine, digests, keys, signatures, codes),
                Contents::Messages { messages, ids } => (messages, ids),
            };
            let signed = sm2::sign_messages(engine, messages, sm2::UserIds::each(ids), keys)?;
            for ((signed, row), code) in signed.into_iter().zip(signatures).zip(codes) {
                *code = signed.map_or_else(Rejection::code, |_| Verdict::VALID_CODE);
                *row = signed.unwrap_or([0; SIGNATURE]);
            }
            Ok(())
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: job::TableAnswers) -> Result<(gecc_arrow::Operation, CurveId), String> {
        signing_tables(&self.keys, answers, false, self.der).map(|signing| (signing, CurveId::Sm2))
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        answer_signature(result, self.der, line);
    }

    fn limit(&self) -> Option<(u64, String)> {
        self.keys.limit()
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}
