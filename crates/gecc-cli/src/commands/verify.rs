//! `gecc verify`.

use crate::curve::Scheme;
use crate::flags::VerifyOptions;
use crate::job;
#[cfg(feature = "arrow")]
use crate::operation::TableAnswers;
use crate::operation::{Columns, Contents, NO_RECOVERY_ID, Operation, Reads, RecoveryIds, Results};
use crate::output::{Failure, Line};
use gecc::ecdsa::Policy;
use gecc::{CurveId, Engine, Error, bip340, ecdsa, sm2};

pub fn run(options: VerifyOptions) -> Result<u8, Failure> {
    let VerifyOptions { curve, scheme, low_s, equations, hash, mut stream } = options;
    stream.read_messages(hash);
    stream.engine.batch_equations = equations.batch_equations;
    let (curve, scheme) = Scheme::chosen(curve, scheme)?;
    let policy = if low_s { Policy::low_s() } else { Policy::default() };
    hash.require(scheme)?;
    match scheme {
        Scheme::Ecdsa => job::run(&Ecdsa { curve, policy, together: stream.engine.batch_equations }, &stream),
        Scheme::Sm2 if low_s => Err("--low-s does not exist for SM2: n - s is no signature".to_owned().into()),
        Scheme::Sm2 if equations.batch_equations => {
            Err("--batch-equations is for ECDSA and BIP 340: SM2 has none".to_owned().into())
        }
        Scheme::Sm2 => job::run(&Sm2, &stream),
        Scheme::Bip340 if low_s => Err("--low-s does not exist for BIP 340".to_owned().into()),
        Scheme::Bip340 => job::run(&Bip340, &stream),
    }
}

const READS: Reads = Reads {
    contents: true,
    signatures: true,
    public_keys: true,
    recovery_ids: RecoveryIds::No,
    secret_keys: false,
    messages: false,
    user_ids: false,
    x_only_keys: false,
};

#[derive(Clone, Copy)]
struct Ecdsa {
    curve: CurveId,
    policy: Policy,
    /// Whether the engine verifies signatures with recovery ids in groups.
    together: bool,
}

impl Operation for Ecdsa {
    const PASSED: &'static str = "valid";
    const GIVES_VERDICTS: bool = true;

    fn reads(&self) -> Reads {
        Reads { recovery_ids: if self.together { RecoveryIds::Optional } else { RecoveryIds::No }, ..READS }
    }

    fn curve(&self) -> CurveId {
        self.curve
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["valid"]
    }

    fn compute(&self, engine: &Engine, columns: &Columns, results: Results) -> Result<(), Error> {
        let Columns { contents, signatures, public_keys, recovery_ids, .. } = *columns;
        let (Ecdsa { curve, policy, together }, digests, codes) = (*self, contents.digests(), results.codes);
        let has_ids = || (0..codes.len()).any(|item| *recovery_ids.get(item) != [NO_RECOVERY_ID]);
        if together && !recovery_ids.is_empty() && has_ids() {
            return ecdsa::verify_recoverable_into(
                engine,
                curve,
                digests,
                signatures,
                recovery_ids,
                public_keys,
                policy,
                codes,
            );
        }
        ecdsa::verify_into(engine, curve, digests, signatures, public_keys, policy, codes)
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        let Ecdsa { curve, policy, together } = *self;
        let verify = if together { gecc_arrow::Operation::VerifyRecoverable } else { gecc_arrow::Operation::Verify };
        (verify(policy), curve)
    }

    fn answer(&self, _: &[u8], line: &mut Line) {
        line.json("valid", b"true");
    }
}

struct Sm2;

impl Operation for Sm2 {
    const PASSED: &'static str = "valid";
    const GIVES_VERDICTS: bool = true;

    fn reads(&self) -> Reads {
        Reads { messages: true, user_ids: true, ..READS }
    }

    fn curve(&self) -> CurveId {
        CurveId::Sm2
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["valid"]
    }

    fn compute(&self, engine: &Engine, columns: &Columns, results: Results) -> Result<(), Error> {
        let Columns { contents, signatures, public_keys, .. } = columns;
        match *contents {
            Contents::Digests(digests) => sm2::verify_into(engine, digests, *signatures, *public_keys, results.codes),
            Contents::Messages { messages, ids } => {
                let ids = sm2::UserIds::each(ids);
                sm2::verify_messages_into(engine, messages, ids, *signatures, *public_keys, results.codes)
            }
        }
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        (gecc_arrow::Operation::Verify(Policy::default()), CurveId::Sm2)
    }

    fn answer(&self, _: &[u8], line: &mut Line) {
        line.json("valid", b"true");
    }
}

struct Bip340;

impl Operation for Bip340 {
    const PASSED: &'static str = "valid";
    const GIVES_VERDICTS: bool = true;

    fn reads(&self) -> Reads {
        Reads { messages: true, x_only_keys: true, ..READS }
    }

    fn curve(&self) -> CurveId {
        CurveId::Secp256k1
    }

    fn fields(&self) -> Vec<&'static str> {
        vec!["valid"]
    }

    fn compute(&self, engine: &Engine, columns: &Columns, results: Results) -> Result<(), Error> {
        let Columns { contents, signatures, public_keys, .. } = columns;
        match *contents {
            Contents::Digests(digests) => {
                bip340::verify_into(engine, digests, *signatures, *public_keys, results.codes)
            }
            Contents::Messages { messages, .. } => {
                bip340::verify_messages_into(engine, messages, *signatures, *public_keys, results.codes)
            }
        }
    }

    #[cfg(feature = "arrow")]
    fn over_tables(&self, _: TableAnswers) -> (gecc_arrow::Operation, CurveId) {
        (gecc_arrow::Operation::VerifyBip340, CurveId::Secp256k1)
    }

    fn answer(&self, _: &[u8], line: &mut Line) {
        line.json("valid", b"true");
    }
}
