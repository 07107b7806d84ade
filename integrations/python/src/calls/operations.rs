//! The operations of `gecc::call`, by their names in `gecc._api`, and generation of keys.

use crate::calls::messages::{Contents, in_pieces};
use crate::calls::points::point_argument;
use crate::choices;
use crate::engine::{self, Engine};
use crate::input::{
    Argument, Call, NO_ID, PublicKeyColumn, RowColumn, Signatures, Strings, argument,
};
use crate::memory;
use crate::output::{ResultColumn, RowFormat, answer};
use crate::pieces;
use gecc::call::{self, Columns, Operation, Options};
use gecc::fields::{Hash, SignatureReader};
use gecc::sm2::UserIds;
use gecc::x25519::AllZero;
use gecc::{CurveId, PublicKeys, keys};
use gecc_arrow::{CellProblem, Field, Reason};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ops::Range;
use zeroize::Zeroizing;

/// Runs the operation with this name in `gecc._api` over its columns.
#[pyfunction]
#[pyo3(signature = (
    engine, name, columns, *, curve = "secp256k1", low_s = false, s_form = "curve_default", hash = None, rule = "",
    context = None, prehashed = false, signature_form = "auto", accept_all_zero = false, out = None, reasons = false
))]
pub fn run<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    name: &str,
    columns: &Bound<'py, PyDict>,
    curve: &str,
    low_s: bool,
    s_form: &str,
    hash: Option<&str>,
    rule: &str,
    context: Option<&[u8]>,
    prehashed: bool,
    signature_form: &str,
    accept_all_zero: bool,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let all_zero = if accept_all_zero {
        AllZero::Accept
    } else {
        AllZero::Reject
    };
    let operation = operation(name, curve, low_s, s_form, rule, all_zero)?;
    let reader = choices::signature_reader(operation, signature_form)?;
    let options = Options {
        hash: hash_of(operation, hash)?,
        variant: choices::ed25519_variant(context, prehashed)?,
        ..Options::default()
    };
    run_operation(
        py, engine, operation, options, reader, columns, out, reasons,
    )
}

/// Runs an operation over columns, which are read in the given order. Optional ones may be `None`.
pub fn run_operation<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    operation: Operation,
    options: Options,
    reader: SignatureReader,
    columns: &Bound<'py, PyDict>,
    out: Option<&Bound<'py, PyAny>>,
    reasons: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let engine = engine::of(py, engine)?;
    let mut call = Call::for_keys(py, operation);
    let inputs = CallColumns::read(
        &mut call,
        operation,
        reader,
        options.message_hash(),
        columns,
    )?;

    let formats = [0, 1].map(|result| row_format(operation, result));
    let mut first = formats[0]
        .map(|row| ResultColumn::of_caller(&call, row, out))
        .transpose()?;
    let mut second = formats[1]
        .map(|row| ResultColumn::of(&call, row))
        .transpose()?;
    let mut output = ResultColumn::of(&call, RowFormat::number())?;
    let [first_bytes, second_bytes] = [&mut first, &mut second]
        .map(|output| output.as_mut().map_or(&mut [][..], ResultColumn::bytes));
    let codes = output.bytes();
    let [first_width, second_width] = formats.map(|row| row.map_or(0, |row| row.width));
    in_pieces(
        py,
        &engine,
        call.items(),
        inputs.contents.as_ref(),
        |range| {
            let Range { start, end } = range;
            let first = &mut first_bytes[start * first_width..end * first_width];
            let second = &mut second_bytes[start * second_width..end * second_width];
            let alike = Columns {
                options,
                ..Columns::default()
            };
            inputs.compute(
                operation,
                &engine,
                start..end,
                &alike,
                [first, second],
                &mut codes[start..end],
            )
        },
    )?;
    answer(
        call,
        first.into_iter().chain(second).collect(),
        output,
        reasons,
    )
}

/// Returns the format of a result, if the operation has it.
fn row_format(operation: Operation, result: usize) -> Option<RowFormat> {
    let column = operation.results().get(result)?;
    if column.name == "recovery_id" {
        return Some(RowFormat::number());
    }
    Some(RowFormat {
        is_secret: operation.has_secret_results(),
        ..RowFormat::public(column.width)
    })
}

/// Generates key pairs: private keys and public keys.
#[pyfunction]
pub fn generate_keys<'py>(
    py: Python<'py>,
    engine: Option<&Engine>,
    curve: &str,
    count: usize,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let curve = choices::curve(curve)?;
    let engine = engine::of(py, engine)?;
    let mut secrets = ResultColumn::of_numpy(py, count, RowFormat::secret(32))?;
    let mut publics = ResultColumn::of_numpy(py, count, RowFormat::public(64))?;
    let secret_rows = secrets.rows::<32>();
    let public_rows = publics.rows::<64>();
    pieces::run(py, &engine, count, |range| {
        let (drawn, points) = keys::generate(&engine, curve, range.len())?;
        for (item, (secret, point)) in range.zip(drawn.iter().zip(points)) {
            secret_rows[item].copy_from_slice(secret.expose_bytes());
            public_rows[item].copy_from_slice(&point.as_bytes()[1..]);
        }
        Ok(())
    })?;
    Ok((secrets.into_numpy(), publics.into_numpy()))
}

/// Returns the operation with this name.
pub fn operation(
    name: &str,
    curve: &str,
    low_s: bool,
    s_form: &str,
    rule: &str,
    all_zero: AllZero,
) -> PyResult<Operation> {
    let curve = choices::curve(curve)?;
    let policy = choices::policy(low_s);
    let form = choices::s_form(s_form)?;
    Ok(match name {
        "verify" => {
            choices::require_no_low_s(curve, !low_s)?;
            Operation::verify(curve, policy)
        }
        "sign" => {
            choices::require_no_low_s(curve, form == Default::default())?;
            Operation::sign(curve, form)
        }
        "verify_recoverable" => Operation::EcdsaVerifyRecoverable(curve, policy),
        "sign_recoverable" => Operation::EcdsaSignRecoverable(curve, form),
        "recover" => Operation::EcdsaRecover(curve),
        "recover_addresses" if curve == CurveId::Secp256k1 => Operation::EcdsaRecoverAddresses,
        "recover_addresses" => {
            return Err(PyValueError::new_err(
                "curve: addresses are of Ethereum, on secp256k1",
            ));
        }
        "bip340_verify" => Operation::Bip340Verify,
        "bip340_sign" => Operation::Bip340Sign,
        "ed25519_verify" => Operation::Ed25519Verify(choices::ed25519_rule(rule)?),
        "ed25519_sign" => Operation::Ed25519Sign,
        "ed25519_public_keys" => Operation::Ed25519PublicKeys,
        "public_keys" => Operation::PublicKeys(curve),
        "ecdh" => Operation::SharedSecrets(curve),
        "x25519" => Operation::X25519(all_zero),
        "x25519_public_keys" => Operation::X25519PublicKeys,
        _ => {
            return Err(PyValueError::new_err(format!(
                "{name:?} is not an operation"
            )));
        }
    })
}

/// Parses the hash that a call specifies.
///
/// # Errors
/// `ValueError` if the scheme permits no choice, even for the hash that ECDSA uses by default.
pub fn hash_of(operation: Operation, name: Option<&str>) -> PyResult<Option<Hash>> {
    let hash = name.map(choices::hash).transpose()?;
    match operation.reads() {
        reads if hash.is_some() && reads.user_ids => {
            Err(PyValueError::new_err("hash: SM2 has a hash of its own"))
        }
        _ if hash.is_some() && !operation.uses_hash() => Err(PyValueError::new_err(
            "hash: for ECDSA; this operation has a hash of its own, or none",
        )),
        _ => Ok(hash),
    }
}

/// Returns the name of a column in errors: that of the parameter in Python.
fn name_of(column: &'static str, operation: Operation) -> &'static str {
    match (column, operation) {
        ("digests", Operation::Bip340Verify | Operation::Bip340Sign) => "messages",
        ("additional_data", Operation::Bip340Sign) => "auxiliary",
        ("secret_keys", Operation::Ed25519Sign | Operation::Ed25519PublicKeys) => "seeds",
        _ => column,
    }
}

fn named_argument(column: &'static str, field: Field, operation: Operation) -> Argument {
    argument(name_of(column, operation), field)
}

/// The columns of a call.
#[derive(Default)]
struct CallColumns {
    contents: Option<Contents>,
    user_ids: Option<Strings>,
    signatures: Option<Signatures>,
    recovery_ids: Option<RowColumn>,
    public_keys: Option<PublicKeyColumn>,
    candidates: Option<PublicKeyColumn>,
    secret_keys: Option<RowColumn>,
    additional: Option<RowColumn>,
}

impl CallColumns {
    fn read<'py>(
        call: &mut Call<'py>,
        operation: Operation,
        reader: SignatureReader,
        hash: Hash,
        columns: &Bound<'py, PyDict>,
    ) -> PyResult<Self> {
        let is_bip340 = operation == Operation::Bip340Verify;
        let mut inputs = CallColumns::default();
        for (name, value) in columns {
            let value = &value;
            match name.extract::<&str>()? {
                "digests" => {
                    let rows = call.rows(
                        named_argument("digests", Field::Digest, operation),
                        32,
                        value,
                    )?;
                    inputs.contents = Some(Contents::Digests(rows));
                }
                "messages" => inputs.contents = Some(Contents::of_messages(call, value, hash)?),
                "signatures" if operation.reads().bare_signatures => {
                    let rows = call.rows(
                        named_argument("signatures", Field::Signature, operation),
                        64,
                        value,
                    )?;
                    inputs.signatures = Some(Signatures::plain(rows));
                }
                "signatures" => inputs.signatures = Some(call.signatures(reader, value)?),
                "public_keys" if is_bip340 => {
                    let rows = call.rows(
                        named_argument("public_keys", Field::PublicKey, operation),
                        32,
                        value,
                    )?;
                    inputs.public_keys = Some(PublicKeyColumn::Column(rows));
                }
                "public_keys" => {
                    inputs.public_keys = Some(call.keys(
                        named_argument("public_keys", Field::PublicKey, operation),
                        value,
                    )?)
                }
                "secret_keys" => {
                    inputs.secret_keys = Some(call.rows(
                        named_argument("secret_keys", Field::SecretKey, operation),
                        32,
                        value,
                    )?)
                }
                "points" => inputs.public_keys = Some(call.keys(point_argument("points"), value)?),
                "recovery_ids" => {
                    let given = Some(value).filter(|value| !value.is_none());
                    let signatures = inputs.signatures.as_mut();
                    inputs.recovery_ids = Some(ids_of(call, operation, reader, given, signatures)?);
                }
                "additional_data" | "user_ids" | "candidates" if value.is_none() => {}
                "additional_data" => {
                    inputs.additional = Some(call.rows(
                        named_argument("additional_data", Field::SecretKey, operation),
                        32,
                        value,
                    )?);
                }
                "user_ids" if !operation.reads().user_ids => {
                    return Err(PyValueError::new_err("user_ids: only SM2 has user ids"));
                }
                "user_ids" => {
                    inputs.user_ids =
                        Some(call.ids(named_argument("user_ids", Field::Id, operation), value)?)
                }
                "candidates" => {
                    inputs.candidates = Some(call.hints(|call| {
                        call.keys(
                            named_argument("candidates", Field::PublicKey, operation),
                            value,
                        )
                    })?);
                }
                column => return Err(PyValueError::new_err(format!("{column:?} is not a column"))),
            }
        }
        Ok(inputs)
    }

    /// Computes the results of a range of items. `alike` contains the values that all items share.
    fn compute(
        &self,
        operation: Operation,
        engine: &gecc::Engine,
        range: Range<usize>,
        alike: &Columns,
        [first, second]: [&mut [u8]; 2],
        codes: &mut [u8],
    ) -> Result<(), gecc::Error> {
        let mut columns = *alike;
        let (messages, ids);
        match &self.contents {
            Some(Contents::Digests(digests)) => {
                columns.contents = call::Contents::Digests(digests.rows(range.clone()))
            }
            Some(Contents::Messages(given)) => {
                messages = given.slices(range.clone());
                ids = self
                    .user_ids
                    .as_ref()
                    .map(|ids| match ids.is_one_for_all() {
                        true => ids.slices(0..1),
                        false => ids.slices(range.clone()),
                    });
                let user_ids = match (&ids, &self.user_ids) {
                    (Some(ids), Some(given)) if given.is_one_for_all() => UserIds::all(ids[0]),
                    (Some(ids), _) => UserIds::each(ids),
                    _ => UserIds::default(),
                };
                columns.contents = call::Contents::Messages {
                    messages: &messages,
                    user_ids,
                };
            }
            None => {}
        }
        if let Some(signatures) = &self.signatures {
            columns.signatures = signatures.rows.rows(range.clone());
        }
        if let Some(ids) = &self.recovery_ids {
            columns.recovery_ids = ids.rows(range.clone());
        }
        if let Some(keys) = &self.public_keys {
            columns.public_keys = match (operation, keys) {
                (Operation::Bip340Verify, PublicKeyColumn::Column(keys)) => {
                    PublicKeys::x_only(keys.rows::<32>(range.clone()))
                }
                (_, keys) => keys.part(range.clone()),
            };
        }
        if let Some(keys) = &self.secret_keys {
            columns.secret_keys = keys.secret_keys(range.clone());
        }
        columns.additional = self
            .additional
            .as_ref()
            .map(|data| data.rows(range.clone()));
        columns.candidates = self.candidates.as_ref().map(|keys| keys.part(range));
        operation.run(engine, &columns, first, second, codes)
    }
}

/// Returns the recovery ids of a call: the given ones, or those of the signatures. If both exist
/// and ids are not only hints, they must agree.
fn ids_of<'py>(
    call: &mut Call<'py>,
    operation: Operation,
    reader: SignatureReader,
    given: Option<&Bound<'py, PyAny>>,
    signatures: Option<&mut Signatures>,
) -> PyResult<RowColumn> {
    let decide = !matches!(operation, Operation::EcdsaVerifyRecoverable(..));
    let of_signatures =
        signatures.and_then(|signatures| Some((signatures.ids.take()?, signatures.counts)));
    match (given, of_signatures) {
        // The ids are only hints.
        (_, Some((embedded, _))) if !decide => Ok(embedded),
        (Some(given), None) if decide => call.recovery_ids(reader, given),
        (Some(given), None) => call.hints(|call| call.recovery_ids(reader, given)),
        (None, Some((embedded, counts))) => {
            counts
                .check()
                .map_err(|unclear| PyValueError::new_err(format!("signatures: {unclear}")))?;
            Ok(embedded)
        }
        (Some(given), Some((embedded, _))) => {
            let given = call.recovery_ids(reader, given)?;
            agreed(call, &given, &embedded)
        }
        (None, None) => Err(PyValueError::new_err(
            "recovery_ids: not given, and signatures of 64 bytes have no v (EIP-2098: signature_form=\"eip2098\")",
        )),
    }
}

/// Merges the given ids with those of the signatures, and notes contradictions.
fn agreed(call: &mut Call<'_>, given: &RowColumn, embedded: &RowColumn) -> PyResult<RowColumn> {
    let items = call.items();
    let ids = given.rows::<1>(0..items);
    let others = embedded.rows::<1>(0..items);
    let differs = Reason::Cell(Field::RecoveryId, CellProblem::DiffersFromSignature).code();
    let mut problems = memory::zeros(items, 1)?;
    let mut agreed = Zeroizing::new(memory::zeros(items, 1)?);
    for item in 0..items {
        let [id] = *ids.get(item);
        let [other] = *others.get(item);
        agreed[item] = if other == NO_ID { id } else { other };
        if other != NO_ID && id != other {
            problems[item] = differs;
        }
    }
    call.note(argument("recovery_ids", Field::RecoveryId), problems)?;
    Ok(RowColumn::of_copy(1, Some(items), agreed))
}
