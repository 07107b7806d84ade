//! The examples over chains, as programs.

use crate::harness::{self, Test, named};
use crate::programs::{complains, prints, scratch};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            examples_give_the_known_answers,
            examples_report_what_is_wrong,
            bitcoin_block_with_other_spent_outputs_fails,
            certificate_with_changed_byte_fails
        ],
    )
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/data")
        .join(name)
}

fn examples_give_the_known_answers() {
    let kinds = [
        "335 EIP-1559",
        "1 EIP-7702 authorization",
        "530 of 530 signatures valid",
    ];
    prints("ethereum_block", &kinds);
    let templates = [
        "1562 P2PKH",
        "3 multisig",
        "65 P2SH multisig",
        "2 P2SH-P2WPKH",
        "1632 of 1632 inputs valid",
    ];
    prints("bitcoin_block", &templates);
    prints(
        "sm2_certificates",
        &[
            "104 SM2 SM3",
            "1 SM2 SM3: not checked: its issuer's key is of another curve, or of one that is not named",
            "104 of 105 certificates valid",
        ],
    );
}

/// Creates a changed copy of an example block.
fn changed_block(name: &str, change: impl FnOnce(&mut Value)) -> PathBuf {
    let mut block: Value =
        serde_json::from_slice(&fs::read(data("ethereum").join(name)).expect("example data"))
            .expect("JSON");
    change(&mut block["transactions"]);
    let copy = scratch("ethereum").join(name);
    fs::write(&copy, block.to_string()).expect("writable");
    copy
}

fn examples_report_what_is_wrong() {
    let block = changed_block("block_2675000.json", |transactions| {
        transactions[3]["from"] = transactions[3]["to"].clone();
    });
    complains(
        "ethereum_block",
        &block,
        1,
        "the signer is not the stated sender",
    );
    let block = changed_block("block_1920000.json", |transactions| {
        transactions[0]["s"] = "0x1".into()
    });
    complains("ethereum_block", &block, 1, "cannot be rebuilt");
    for name in ["ethereum_block", "bitcoin_block", "sm2_certificates"] {
        complains(name, Path::new("no such file"), 1, "no such file: ");
    }
}

fn bitcoin_block_with_other_spent_outputs_fails() {
    let block = scratch("bitcoin").join("block1087400.raw");
    fs::copy(data("bitcoin/block1087400.raw"), &block).expect("writable");
    let mut undo = fs::read(data("bitcoin/block1087400-undo.raw")).expect("example data");
    // In the hash that the first spent output's script requires: 8 bytes of value, 1 of length, 3
    // of opcodes before it.
    undo[8 + 1 + 3 + 5] ^= 1;
    fs::write(block.with_file_name("block1087400-undo.raw"), undo).expect("writable");
    complains(
        "bitcoin_block",
        &block,
        1,
        "the script or key is not the one that the output commits to",
    );
}

fn certificate_with_changed_byte_fails() {
    let text = fs::read_to_string(data("sm2/sm2_certs.pem")).expect("example data");
    // The first certificate expires a year later: 2034 becomes 2035.
    let changed = text.replacen("DTM0MDgyNTAyMzQ1Nlow", "DTM1MDgyNTAyMzQ1Nlow", 1);
    assert_ne!(changed, text);
    let path = scratch("sm2").join("changed.pem");
    fs::write(&path, changed).expect("writable");
    complains("sm2_certificates", &path, 1, "the signature does not match");
}
