//! Compressed input and compressed keys.

use crate::support::{TemporaryFile, answers, code, gzip, run, signed, stderr};
use gecc::P256;
use serde_json::json;

fn zstd(content: &[u8]) -> Vec<u8> {
    zstd::encode_all(content, 1).unwrap()
}

#[test]
fn compressed_text_and_keys_are_read_from_files_and_pipes() {
    let set = signed::<P256>(300);
    let text = set.lines().join("\n");
    let expected = answers(&run(&["verify", "--curve", "p256", "--line"], text.clone()));
    assert_eq!(expected.len(), 300);
    for (name, compressed) in [
        ("gz", gzip(text.as_bytes())),
        ("zst", zstd(text.as_bytes())),
    ] {
        let file = TemporaryFile::new(&format!("items.{name}"), &compressed);
        for output in [
            run(&["verify", "--curve", "p256", "--line", file.path()], ""),
            run(&["verify", "--curve", "p256", "--line"], compressed.clone()),
        ] {
            assert_eq!(answers(&output), expected, "{name}: {}", stderr(&output));
        }
        // Items before the damage are answered.
        let cut = TemporaryFile::new(&format!("cut.{name}"), &compressed[..compressed.len() - 10]);
        let output = run(&["verify", "--curve", "p256", "--line", cut.path()], "");
        assert_eq!(code(&output), 2);
        assert!(
            stderr(&output).contains("data end too early: the file is cut off"),
            "{}",
            stderr(&output)
        );
        assert!(
            answers(&output)
                .iter()
                .zip(&expected)
                .filter(|(a, b)| a == b)
                .count()
                + 1
                >= answers(&output).len()
        );
    }
    let key = gzip(hex::encode(set.secret[0].expose_bytes()).as_bytes());
    let key_file = TemporaryFile::new("key.gz", key);
    let digest = format!("digest\n{}", hex::encode(set.digests[0]));
    let output = run(
        &["sign", "--curve", "p256", "--key-file", key_file.path()],
        digest,
    );
    assert_eq!(
        answers(&output),
        [json!({"signature": hex::encode(set.signed[0].signature)})],
        "{}",
        stderr(&output)
    );
}

/// A line of half a GiB, compressed to some kilobytes.
#[test]
fn decompression_bomb_fails_its_item_only() {
    let part = zstd(&vec![b'x'; 64 << 20]);
    let mut bomb = zstd(b"{\"digest\":\"");
    (0..8).for_each(|_| bomb.extend_from_slice(&part));
    bomb.extend(zstd(b"\"}\n{}\n"));
    assert!(bomb.len() < 1 << 20);
    let output = run(&["verify", "--curve", "p256", "--max-memory", "256M"], bomb);
    let reasons: Vec<_> = answers(&output)
        .iter()
        .map(|answer| answer["reason"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        reasons,
        [
            "the line is longer than 16777216 bytes",
            "neither `digest` nor `message` is given"
        ]
    );
    // Nothing of it can be read.
    assert_eq!(code(&output), 2);
}

#[test]
fn other_compression_is_named() {
    for (content, expected) in [
        (&b"\xfd7zXZ\0more"[..], "xz -dc"),
        (b"PK\x03\x04more", "unzip -p"),
    ] {
        let file = TemporaryFile::new("other", content);
        for output in [
            run(&["verify", "--curve", "p256", file.path()], ""),
            run(&["verify", "--curve", "p256"], content),
        ] {
            assert_eq!((code(&output), output.stdout.len()), (2, 0));
            assert!(stderr(&output).contains(expected), "{}", stderr(&output));
        }
    }
}
