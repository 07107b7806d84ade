//! `gecc sign`.

use crate::curve::Scheme;
use crate::flags::SignOptions;
use crate::input::keyfile::Keys;
use crate::job;
#[cfg(feature = "arrow")]
use crate::operation::TableAnswers;
use crate::operation::{Columns, Contents, Operation, Reads, Results};
use crate::output::{Failure, Line};
use gecc::bip340::{self, Auxiliary};
use gecc::ecdsa::SForm;
use gecc::{CurveId, Engine, Error, Rows, SecretKeys, Signers, ecdsa, signature_to_der, sm2};

/// Bytes of `r || s`; a recovery id comes after them.
const SIGNATURE: usize = 64;

pub fn run(mut options: SignOptions) -> Result<u8, Failure> {
    options.stream.engine.check_signatures = options.check_signatures;
    let (curve, scheme) = Scheme::chosen(options.curve, options.scheme)?;
    options.stream.read_messages(options.hash);
    options.hash.require(scheme)?;
    let (auxiliary, data) = (options.auxiliary, options.additional_data);
    let (recoverable, der) = (options.recoverable, options.der);
    if auxiliary.is_some() && scheme != Scheme::Bip340 {
        return Err("--auxiliary is for BIP 340".to_owned().into());
    }
    if data.is_some() && scheme == Scheme::Bip340 {
        return Err("--additional-data is for ECDSA and SM2; BIP 340 has --auxiliary".to_owned().into());
    }
    let keys = || Keys::open(options.key_file.as_deref(), curve, &options.stream);
    match scheme {
        Scheme::Ecdsa => job::run(&Ecdsa { keys: keys()?, data, curve, recoverable, der }, &options.stream),
        Scheme::Sm2 if recoverable => Err("--recoverable is for ECDSA; SM2 has no recovery id".to_owned().into()),
        Scheme::Sm2 => job::run(&Sm2 { keys: keys()?, data, der }, &options.stream),
        Scheme::Bip340 if recoverable => {
            Err("--recoverable is for ECDSA; BIP 340 has no recovery id".to_owned().into())
        }
        Scheme::Bip340 if der => Err("--der is for ECDSA and SM2: signatures of BIP 340 have no DER".to_owned().into()),
        Scheme::Bip340 => job::run(&Bip340 { keys: keys()?, auxiliary }, &options.stream),
    }
}

fn answer_signature(signature: &[u8], der: bool, line: &mut Line) {
    match signature.try_into() {
        Ok(signature) if der => line.hex("der", "", &signature_to_der(signature)),
        _ => line.hex("signature", "", signature),
    }
}

fn signers<'a>(keys: SecretKeys<'a>, data: Option<&'a [u8; 32]>) -> Signers<'a> {
    data.map_or(keys.into(), |data| Signers::with_additional_data(keys, Rows::all(data)))
}

#[cfg(feature = "arrow")]
fn signing_tables(
    keys: &Keys,
    additional_data: Option<[u8; 32]>,
    answers: TableAnswers,
    recovery_id: bool,
    der: bool,
) -> gecc_arrow::Operation {
    // Lines are made of r || s.
    let der = der && answers == TableAnswers::Columns;
    gecc_arrow::Operation::Sign(gecc_arrow::Signing {
        key: keys.for_tables(),
        additional_data,
        s_form: SForm::default(),
        recovery_id,
        der,
    })
}

/// Puts an id behind each of the signatures that lie one after the other at the front of the rows.
fn put_behind(rows: &mut [u8], ids: &[u8]) {
    for (item, id) in ids.iter().enumerate().rev() {
        let row = item * (SIGNATURE + 1);
        rows.copy_within(item * SIGNATURE..(item + 1) * SIGNATURE, row);
        rows[row + SIGNATURE] = *id;
    }
}

struct Ecdsa {
    keys: Keys,
    /// Additional data of all nonces.
    data: Option<[u8; 32]>,
    curve: CurveId,
    recoverable: bool,
    der: bool,
}

impl Operation for Ecdsa {
    const PASSED: &'static str = "signed";

    fn reads(&self) -> Reads {
        Reads { contents: true, secret_keys: self.keys.are_of_items(), ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        self.curve
    }

    fn fields(&self) -> Vec<&'static str> {
        let signature = if self.der { "der" } else { "signature" };
        if self.recoverable { vec![signature, "recovery_id"] } else { vec![signature] }
    }

    fn width(&self) -> usize {
        SIGNATURE + usize::from(self.recoverable)
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let digests = columns.contents.digests();
        let form = SForm::default();
        self.keys.of_items(columns, results.codes.len(), |keys| {
            let signers = signers(keys, self.data.as_ref());
            if !self.recoverable {
                let (signatures, codes) = results.rows_of();
                return ecdsa::sign_into(engine, self.curve, digests, signers, form, signatures, codes);
            }
            let mut ids = vec![0; results.codes.len()];
            let (signatures, codes) = (results.rows[..ids.len() * SIGNATURE].as_chunks_mut().0, results.codes);
            ecdsa::sign_recoverable_into(engine, self.curve, digests, signers, form, signatures, &mut ids, codes)?;
            put_behind(results.rows, &ids);
            Ok(())
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        (signing_tables(&self.keys, self.data, answers, self.recoverable, self.der), self.curve)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        if !self.recoverable {
            return answers.with_signatures(results.as_chunks().0.to_vec(), self.der);
        }
        let rows: &[[u8; SIGNATURE + 1]] = results.as_chunks().0;
        let signatures = rows.iter().filter_map(|row| row.first_chunk().copied()).collect();
        let ids = rows.iter().map(|row| row[SIGNATURE]).collect();
        answers.with_signatures(signatures, self.der).with_numbers("recovery_id", ids)
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
    keys: Keys,
    /// Additional data of all nonces.
    data: Option<[u8; 32]>,
    der: bool,
}

impl Operation for Sm2 {
    const PASSED: &'static str = "signed";

    fn reads(&self) -> Reads {
        let secret_keys = self.keys.are_of_items();
        Reads { contents: true, messages: true, user_ids: true, secret_keys, ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        CurveId::Sm2
    }

    fn fields(&self) -> Vec<&'static str> {
        vec![if self.der { "der" } else { "signature" }]
    }

    fn width(&self) -> usize {
        SIGNATURE
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        self.keys.of_items(columns, results.codes.len(), |keys| {
            let ((signatures, codes), signers) = (results.rows_of(), signers(keys, self.data.as_ref()));
            let (messages, ids) = match columns.contents {
                Contents::Digests(digests) => return sm2::sign_into(engine, digests, signers, signatures, codes),
                Contents::Messages { messages, ids } => (messages, ids),
            };
            sm2::sign_messages_into(engine, messages, sm2::UserIds::each(ids), signers, signatures, codes)
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, answers: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        (signing_tables(&self.keys, self.data, answers, false, self.der), CurveId::Sm2)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        answers.with_signatures(results.as_chunks().0.to_vec(), self.der)
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

struct Bip340 {
    keys: Keys,
    auxiliary: Option<[u8; 32]>,
}

impl Operation for Bip340 {
    const PASSED: &'static str = "signed";

    fn reads(&self) -> Reads {
        Reads { contents: true, messages: true, secret_keys: self.keys.are_of_items(), ..Reads::default() }
    }

    fn curve(&self) -> CurveId {
        CurveId::Secp256k1
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["signature"]
    }

    fn width(&self) -> usize {
        SIGNATURE
    }

    fn compute(&self, engine: &Engine, columns: &Columns, mut results: Results) -> Result<(), Error> {
        let auxiliary = match &self.auxiliary {
            Some(auxiliary) => Auxiliary::given(Rows::all(auxiliary)),
            None => Auxiliary::fresh(),
        };
        self.keys.of_items(columns, results.codes.len(), |keys| {
            let (signatures, codes) = results.rows_of();
            match columns.contents {
                Contents::Digests(digests) => bip340::sign_into(engine, digests, keys, auxiliary, signatures, codes),
                Contents::Messages { messages, .. } => {
                    bip340::sign_messages_into(engine, messages, keys, auxiliary, signatures, codes)
                }
            }
        })
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        let signing = gecc_arrow::Bip340Signing { key: self.keys.for_tables(), auxiliary: self.auxiliary };
        (gecc_arrow::Operation::SignBip340(signing), CurveId::Secp256k1)
    }

    #[cfg(feature = "arrow")]
    fn columns(&self, results: &[u8], answers: gecc_arrow::Answers) -> gecc_arrow::Answers {
        answers.with_signatures(results.as_chunks().0.to_vec(), false)
    }

    fn answer(&self, result: &[u8], line: &mut Line) {
        answer_signature(result, false, line);
    }

    fn limit(&self) -> Option<(u64, String)> {
        self.keys.limit()
    }

    fn warning(&self, items: u64) -> Option<String> {
        self.keys.surplus(items)
    }
}
