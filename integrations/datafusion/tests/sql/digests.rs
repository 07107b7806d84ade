//! Digests of messages, by a hash that the statement specifies.

use crate::items::{fixed, some};
use crate::session::{functions, row, session, with_table};
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use gecc::fields::Hash;
use std::sync::Arc;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn digests_are_those_of_the_library() {
    let context = session(functions(), 2, 8192);
    let message = b"Hello World";
    for hash in Hash::ALL.iter().filter(|hash| **hash != Hash::None) {
        let expected = hash.digest(message).map(|digest| hex(&digest));
        for form in [
            "'Hello World'::BYTEA".to_owned(),
            format!("x'{}'", hex(message)),
            format!("'0x{}'", hex(message)),
        ] {
            let sql = format!("SELECT message_digest('{}', {form})", hash.name());
            assert_eq!(
                row(&context, &sql),
                std::slice::from_ref(&expected),
                "{sql}"
            );
        }
    }
    // The example in ethers' documentation.
    let of_ethers = "a1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2";
    let sql = "SELECT message_digest('EIP-191', 'Hello World'::BYTEA)";
    assert_eq!(row(&context, sql), [Some(of_ethers.to_owned())]);
}

#[test]
fn columns_are_hashed_and_invalid_messages_have_reasons() {
    let messages: Vec<String> = (0..20000).map(|row| format!("message {row}")).collect();
    let digests: Vec<[u8; 32]> = messages
        .iter()
        .map(|message| Hash::Sha256.digest(message.as_bytes()).unwrap())
        .collect();
    let messages = Arc::new(BinaryArray::from_iter_values(messages)) as ArrayRef;
    let table = [("m", messages), ("d", fixed(&some(&digests)).unwrap())];
    let context = with_table(RecordBatch::try_from_iter(table).unwrap());
    let is_same = "SELECT count(*) FROM t WHERE message_digest('sha256', m) = d";
    assert_eq!(row(&context, is_same), [Some("20000".to_owned())]);
    let short = format!("x'{}'", "ab".repeat(31));
    for (hash, message, reason) in [
        ("none", short.as_str(), "`message` has the wrong length"),
        ("sha256", "NULL", "`message` is null"),
        ("sha256", "'Hello World'", "`message` is not hexadecimal"),
    ] {
        let arguments = format!("'{hash}', {message}");
        let sql = format!("SELECT message_digest({arguments}), message_digest_reason({arguments})");
        assert_eq!(
            row(&context, &sql),
            [None, Some(reason.to_owned())],
            "{sql}"
        );
    }
    let sql = format!("SELECT message_digest('none', x'{0}')", "ab".repeat(32));
    assert_eq!(row(&context, &sql), [Some("ab".repeat(32))]);
}
