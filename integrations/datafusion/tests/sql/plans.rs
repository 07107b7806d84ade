//! Planning: results computed at plan time, results computed once, and statements that are
//! rejected.

use crate::items::{Items, engine, fixed, some};
use crate::session::{functions, query, refusal, row, session, texts, with_table};
use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_schema::DataType;
use datafusion::logical_expr::{ColumnarValue, Volatility, col, create_udf, lit};
use datafusion::prelude::SessionContext;
use gecc::ecdsa::{self, Policy, SForm};
use gecc::{CurveId, PublicKeys};
use gecc_datafusion::Functions;
use std::sync::Arc;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the plans of a statement, as text.
fn plan(context: &SessionContext, sql: &str) -> String {
    texts(query(context, &format!("EXPLAIN {sql}")).column(1))
        .into_iter()
        .flatten()
        .collect()
}

/// A digest, a signature and a public key, as SQL literals.
fn literals() -> [String; 3] {
    let items = Items::random(CurveId::P256, 1);
    let key = items.points[0].to_compressed().unwrap();
    [
        format!("x'{}'", hex(&items.digests[0])),
        format!("'0x{}'", hex(&items.signatures[0])),
        format!("'{}'", hex(&key)),
    ]
}

fn items_table(count: usize) -> RecordBatch {
    as_table(&Items::random(CurveId::P256, count))
}

fn as_table(items: &Items) -> RecordBatch {
    let keys: Vec<[u8; 33]> = items
        .points
        .iter()
        .map(|point| point.to_compressed().unwrap())
        .collect();
    let column = |rows| fixed(rows).unwrap();
    RecordBatch::try_from_iter([
        ("d", column(&some(&items.digests))),
        ("s", column(&some(&items.signatures))),
        ("k", column(&some(&keys))),
        (
            "number",
            Arc::new(Float64Array::from(vec![0.5; items.digests.len()])) as ArrayRef,
        ),
    ])
    .unwrap()
}

#[test]
fn constants_are_computed_when_planned() {
    let [digest, signature, key] = literals();
    let context = session(functions(), 2, 8192);
    let sql = format!("SELECT ecdsa_verify('p256', {digest}, {signature}, {key}) AS valid");
    let planned = plan(&context, &sql);
    assert!(
        planned.contains("Boolean(true)") && !planned.contains("ecdsa_verify("),
        "{planned}"
    );
    assert_eq!(row(&context, &sql), [Some("true".to_owned())]);
    // An argument that may differ between rows is not.
    let keep = |values: &[ColumnarValue]| Ok(values[0].clone());
    let binary = DataType::Binary;
    context.register_udf(create_udf(
        "keep",
        vec![binary.clone()],
        binary,
        Volatility::Volatile,
        Arc::new(keep),
    ));
    let sql = format!("SELECT ecdsa_verify('p256', keep({digest}), {signature}, {key}) AS valid");
    let planned = plan(&context, &sql);
    assert!(
        planned.contains("ecdsa_verify(") && !planned.contains("Boolean(true)"),
        "{planned}"
    );
    assert_eq!(row(&context, &sql), [Some("true".to_owned())]);
}

#[test]
fn the_same_call_is_computed_once() {
    let functions = Functions::new(engine()).unwrap();
    let context = session(&functions, 1, 8192);
    context.register_batch("t", items_table(100)).unwrap();
    let verdict = "ecdsa_verify('p256', d, s, k)";
    let found = query(
        &context,
        &format!("SELECT {verdict} AS a, NOT {verdict} AS b FROM t"),
    );
    assert_eq!(texts(found.column(1)), vec![Some("false".to_owned()); 100]);
    assert_eq!(functions.stats().items, 100);
}

#[test]
fn a_null_is_not_valid_and_recovers_nothing() {
    let [digest, signature, key] = literals();
    let context = session(functions(), 2, 8192);
    let call = |name: &str, [d, s, k]: [&str; 3]| format!("{name}('p256', {d}, {s}, {k})");
    for place in 0..3 {
        let mut arguments = [digest.as_str(), &signature, &key];
        arguments[place] = "NULL";
        let sql = format!(
            "SELECT {}, {}",
            call("ecdsa_verify", arguments),
            call("ecdsa_verify_reason", arguments)
        );
        let field = ["digest", "signature", "public_key"][place];
        assert_eq!(
            row(&context, &sql),
            [Some("false".to_owned()), Some(format!("`{field}` is null"))]
        );
    }
    let recover =
        format!("SELECT ecdsa_recover('p256', {digest}, {signature}, NULL), eth_address(NULL)");
    assert_eq!(row(&context, &recover), [None, None]);
    // The length is that of a table.
    let context = with_table(items_table(3));
    let found = query(
        &context,
        "SELECT ecdsa_verify('p256', d, s, NULL), ecdsa_verify('p256', d, s, k) FROM t",
    );
    assert_eq!(texts(found.column(0)), vec![Some("false".to_owned()); 3]);
    assert_eq!(texts(found.column(1)), vec![Some("true".to_owned()); 3]);
    // Each row is either among those that pass or among the others.
    let rows = |condition: &str| {
        row(
            &context,
            &format!("SELECT count(*) FROM t WHERE {condition}"),
        )
    };
    assert_eq!(
        rows("ecdsa_verify('p256', d, s, NULL)"),
        [Some("0".to_owned())]
    );
    assert_eq!(
        rows("NOT ecdsa_verify('p256', d, s, NULL)"),
        [Some("3".to_owned())]
    );
}

#[test]
fn arguments_have_names() {
    let context = with_table(items_table(2));
    let found = query(
        &context,
        "SELECT ecdsa_verify(curve => 'p256', public_key => k, signature => s, digest => d) FROM t",
    );
    assert_eq!(texts(found.column(0)), vec![Some("true".to_owned()); 2]);
}

#[test]
fn frames_of_data_have_the_functions_too() {
    let context = with_table(items_table(5));
    let runtime = crate::session::runtime();
    let verify = datafusion::execution::FunctionRegistry::udf(&context, "ecdsa_verify").unwrap();
    let call = verify.call(vec![lit("p256"), col("d"), col("s"), col("k")]);
    let valid = runtime.block_on(async { context.table("t").await?.filter(call)?.count().await });
    assert_eq!(valid.unwrap(), 5);
}

#[test]
fn reasons_can_be_counted() {
    let context = with_table(items_table(6));
    let sql = "SELECT reason, count(*) AS n FROM (
            SELECT ecdsa_verify_reason('p256', encode(d, 'hex') || '00', s, k) AS reason FROM t
            UNION ALL SELECT ecdsa_verify_reason('p256', d, s, k) FROM t
            UNION ALL SELECT ecdsa_verify_reason('p256', d, s, k) FROM t
        ) GROUP BY reason ORDER BY n";
    let found = query(&context, sql);
    assert_eq!(
        texts(found.column(0)),
        [Some("`digest` has the wrong length".to_owned()), None]
    );
    assert_eq!(
        texts(found.column(1)),
        ["6", "12"].map(|count| Some(count.to_owned()))
    );
}

#[test]
fn a_policy_may_ask_for_low_s() {
    let mut items = Items::random(CurveId::P256, 60);
    let signed = ecdsa::sign(
        engine(),
        gecc::P256,
        &items.digests,
        &items.secrets,
        SForm::AsComputed,
    )
    .unwrap();
    items.signatures = signed.into_iter().map(Result::unwrap).collect();
    let keys = PublicKeys::points(&items.points);
    let wanted = ecdsa::verify(
        engine(),
        gecc::P256,
        &items.digests,
        &items.signatures,
        keys,
        Policy::low_s(),
    )
    .unwrap();
    let wanted: Vec<_> = wanted
        .iter()
        .map(|verdict| Some(verdict.is_valid().to_string()))
        .collect();
    let low_s = Functions::new(engine())
        .unwrap()
        .with_policy(Policy::low_s());
    let context = session(&low_s, 1, 8192);
    context.register_batch("t", as_table(&items)).unwrap();
    let found = query(&context, "SELECT ecdsa_verify('p256', d, s, k) FROM t");
    assert_eq!(texts(found.column(0)), wanted);
    assert!(wanted.contains(&Some("false".to_owned())));
}

#[test]
fn invalid_calls_are_rejected_when_planned() {
    let context = with_table(items_table(1));
    let refused = |call: &str| {
        let problem = refusal(&context, &format!("SELECT {call} FROM t"));
        assert!(problem.starts_with("Error during planning"), "{problem}");
        problem
    };
    let cases = [
        (
            "ecdsa_verify('p256', number, s, k)",
            "ecdsa_verify: `digest` is Float64, but must be 32 bytes",
        ),
        (
            "ecdsa_verify('p256', k, s, k)",
            "`digest` is FixedSizeBinary(33), but must be 32",
        ),
        (
            "ecdsa_verify('p256', d, d, k)",
            "`signature` is FixedSizeBinary(32), but must be 64 or 65 bytes, or DER",
        ),
        (
            "ecdsa_verify('p256', d, s, 5)",
            "`public_key` is Int64, but must be 33, 64 or 65 bytes",
        ),
        (
            "ecdsa_verify('P-192', d, s, k)",
            "no ECDSA on the curve 'P-192'; the curves are 'brainpoolp256r1', 'p256', 'secp256k1'",
        ),
        (
            "ecdsa_verify('sm2', d, s, k)",
            "for this one there is `sm2_verify`",
        ),
        (
            "ecdsa_verify(k, d, s, k)",
            "`curve` must be a text in the statement",
        ),
        (
            "ecdsa_verify(NULL, d, s, k)",
            "`curve` must be a text in the statement",
        ),
        (
            "ecdsa_verify(256, d, s, k)",
            "`curve` must be a text in the statement",
        ),
        ("ecdsa_verify(d, s, k)", "ecdsa_verify"),
        ("ecdsa_verify()", "ecdsa_verify"),
        (
            "ecdsa_recover('p256', d, s)",
            "signatures of 64 bytes need a column for `recovery_id`",
        ),
        (
            "ecdsa_recover('p256', d, s, d)",
            "`recovery_id` is FixedSizeBinary(32), but must be integers, booleans, or text",
        ),
        (
            "ecdsa_verify_form('p256', 'compact', d, s, k)",
            "no signature form is called `compact`; the forms are auto, rs",
        ),
        (
            "ecdsa_verify_form('p256', d, d, s, k)",
            "`form` must be a text in the statement, such as 'header-first'",
        ),
        (
            "ecdsa_verify_form('p256', 'der-hash-type', d, s, k)",
            "has a hash type of Bitcoin, which is on secp256k1",
        ),
        (
            "ecdsa_recover_form('p256', 'rs', d, s)",
            "signatures of 64 bytes need a column for `recovery_id`",
        ),
        ("ecdsa_recover('p256', d)", "ecdsa_recover"),
        ("eth_address(d)", "`public_key` is FixedSizeBinary(32)"),
        (
            "ecdsa_verify('p256', d, s, d)",
            "`public_key` is FixedSizeBinary(32), but must be 33, 64 or 65 bytes",
        ),
        ("sm2_verify('sm2', d, s, k)", "sm2_verify"),
        (
            "bip340_verify(number, s, d)",
            "bip340_verify: `message` is Float64, but must be bytes",
        ),
        (
            "bip340_verify(d, k, d)",
            "`signature` is FixedSizeBinary(33), but must be 64 or 65 bytes",
        ),
        ("bip340_verify('secp256k1', d, s, d)", "bip340_verify"),
        (
            "ed25519_verify('go', d, s, d)",
            "no rule of Ed25519 is called `go`; the rules are cofactorless, strict, libsodium, zip215, rfc8032",
        ),
        (
            "ed25519_verify(d, d, s, d)",
            "ed25519_verify: `rule` must be a text in the statement, such as 'strict'",
        ),
        ("ed25519_verify(d, s, d)", "ed25519_verify"),
        (
            "ed25519ctx_verify('go', 'beef', d, s, d)",
            "ed25519ctx_verify: no rule of Ed25519 is called `go`",
        ),
        (
            "ed25519ctx_verify('strict', 'context', d, s, d)",
            "`context` must be a text in the statement of hexadecimal",
        ),
        (
            "ed25519ctx_verify('strict', 'abc', d, s, d)",
            "`context` must be a text in the statement of hexadecimal",
        ),
        (
            "ed25519ph_verify('strict', d, d, s, d)",
            "`context` must be a text in the statement of hexadecimal",
        ),
        (
            "ed25519ph_verify('strict', NULL, d, s, d)",
            "`context` must be a text in the statement of hexadecimal",
        ),
        ("ed25519ph_verify('strict', d, s, d)", "ed25519ph_verify"),
        (
            "ed25519ph_verify('strict', '', d, k, d)",
            "`signature` is FixedSizeBinary(33), but must be 64 or 65 bytes",
        ),
        (
            "ed25519cxt_verify('strict', '', d, s, d)",
            "ed25519cxt_verify",
        ),
        (
            "ed25519_verify('strict', d, k, d)",
            "`signature` is FixedSizeBinary(33), but must be 64 or 65 bytes",
        ),
        (
            "message_digest('md5', d)",
            "message_digest: no hash is called `md5`; the hashes are sha256, sha256d, sha384",
        ),
        (
            "message_digest(d, d)",
            "message_digest: `hash` must be a text in the statement, such as 'keccak256'",
        ),
        (
            "message_digest('sha256', number)",
            "message_digest: `message` is Float64, but must be bytes",
        ),
        ("message_digest(d)", "message_digest"),
        (
            "sm2_verify_reason(d, s, number)",
            "sm2_verify_reason: `public_key` is Float64",
        ),
    ];
    for (call, text) in cases {
        let problem = refused(call);
        assert!(problem.contains(text), "{call}: {problem}");
    }
}
