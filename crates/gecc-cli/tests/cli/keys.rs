//! `gecc sign`, `ecdh` and `pubkey`: the sources of keys, and the access to files with secrets.

use crate::support::{TemporaryFile, answers, code, gecc, run, signed, stderr};
use gecc::{CurveId, Engine, P256, PublicKeys, SecretKey, Sm2};
use serde_json::json;

#[test]
fn checked_signatures_are_the_same() {
    let key = TemporaryFile::new("checked.hex", "07".repeat(32));
    for curve in CurveId::ALL.iter().map(|curve| curve.name()) {
        let sign = |more: &[&str]| {
            let arguments = [&["sign", "--curve", curve, "--key-file", key.path()], more].concat();
            answers(&run(&arguments, "message\n6d\n\n6e\n"))
        };
        let signed = sign(&["--check-signatures"]);
        assert_eq!(signed, sign(&[]), "{curve}");
        assert!(
            signed.len() == 2 && signed.iter().all(|answer| answer["signature"].is_string()),
            "{curve}"
        );
    }
}

#[test]
fn sign_ecdh_and_pubkey_use_key_files() {
    let set = signed::<P256>(2);
    let key_lines = || set.secret.iter().map(|key| hex::encode(key.expose_bytes()));
    let both = TemporaryFile::new(
        "both.hex",
        format!(
            "# two keys\n{}\n",
            key_lines().collect::<Vec<_>>().join("\n")
        ),
    );
    let input = format!(
        "digest\n{}\n{}\n{}\n",
        hex::encode(set.digests[0]),
        hex::encode(set.digests[1]),
        "00".repeat(32)
    );
    let signed = run(
        &[
            "sign",
            "--curve",
            "p256",
            "--recoverable",
            "--key-file",
            both.path(),
        ],
        input.clone(),
    );
    let signature = |item: usize| {
        json!({
            "signature": hex::encode(set.signed[item].signature),
            "recovery_id": set.signed[item].recovery_id,
        })
    };
    let missing = json!({"error": "the key file has 2 keys, none for this item", "line": 4});
    assert_eq!(answers(&signed), [signature(0), signature(1), missing]);

    let one = TemporaryFile::new("one.hex", format!("0x{}", key_lines().next().unwrap()));
    let der = run(
        &["sign", "--curve", "p256", "--der", "--key-file", one.path()],
        input,
    );
    assert_eq!(answers(&der).len(), 3);
    let expected = hex::encode(gecc::signature_to_der(&set.signed[0].signature));
    assert_eq!(answers(&der)[0], json!({"der": expected}));

    let peers = format!("public_key\n{}\n", hex::encode(set.public[1].as_sec1()));
    let shared = run(
        &["ecdh", "--curve", "p256", "--key-file", one.path()],
        peers,
    );
    let engine = Engine::cpu().unwrap();
    let expected = gecc::ecdh::shared_secrets(
        &engine,
        P256,
        &set.secret[..1],
        PublicKeys::points(&set.public[1..]),
    )
    .unwrap();
    let expected = hex::encode(expected[0].as_ref().unwrap().expose_bytes());
    assert_eq!(answers(&shared), [json!({"shared_secret": expected})]);

    let plain = key_lines().collect::<Vec<_>>().join("\n") + "\nnothex\n";
    let public = answers(&run(&["pubkey", "--curve", "p256", "--compressed"], plain));
    assert_eq!(
        public[1],
        json!({"public_key": hex::encode(set.public[1].to_compressed().unwrap())})
    );
    assert_eq!(
        public[2],
        json!({"error": "a private key is 64 hexadecimal digits", "line": 3})
    );
    let object = json!({"secret_key": key_lines().next().unwrap(), "tag": "t"}).to_string();
    let expected = json!({"public_key": hex::encode(set.public[0].as_sec1()), "tag": "t"});
    assert_eq!(
        answers(&run(&["pubkey", "--curve", "p256"], object)),
        [expected]
    );
}

#[test]
fn key_files_that_cannot_be_used() {
    let bad = TemporaryFile::new("bad.hex", "aa\n1234567890123456secret\n");
    let output = run(&["sign", "--curve", "sm2", "--key-file", bad.path()], "");
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("line 1: a private key is 64 hexadecimal digits: this is fewer"),
        "{}",
        stderr(&output)
    );
    assert!(
        !stderr(&output).contains("secret"),
        "an error shows nothing of a key"
    );
    let empty = TemporaryFile::new("empty.hex", "\n");
    assert_eq!(
        code(&run(
            &["ecdh", "--curve", "sm2", "--key-file", empty.path()],
            ""
        )),
        2
    );
    assert_eq!(
        code(&run(
            &[
                "sign",
                "--curve",
                "sm2",
                "--recoverable",
                "--key-file",
                bad.path()
            ],
            ""
        )),
        2
    );
}

#[test]
fn sm2_signatures_from_the_command_line_verify() {
    let key = TemporaryFile::new(
        "sm2.hex",
        hex::encode(SecretKey::generate(Sm2).unwrap().expose_bytes()),
    );
    let public = answers(&run(&["pubkey", "--curve", "sm2", key.path()], ""));
    let lines = "message,id\n6d,alice\n6d,\n";
    let signed = answers(&run(
        &[
            "sign",
            "--curve",
            "sm2",
            "--columns",
            "id=id",
            "--key-file",
            key.path(),
        ],
        lines,
    ));
    let line = |item: usize, id: Option<&str>| {
        json!({"message": "6d", "id": id, "signature": signed[item]["signature"], "public_key": public[0]["public_key"]})
            .to_string()
    };
    let input = [line(0, Some("alice")), line(1, None), line(0, None)].join("\n");
    let valid: Vec<_> = answers(&run(
        &["verify", "--curve", "sm2", "--columns", "id=id"],
        input,
    ))
    .iter()
    .map(|a| a["valid"].clone())
    .collect();
    assert_eq!(valid, [true, true, false]);
}

#[test]
fn keys_are_read_alike_from_key_files_and_by_pubkey() {
    let key = "11".repeat(32);
    let digest = format!("digest\n{}\n", "5a".repeat(32));
    let forms = [
        key.clone(),
        format!("\u{feff}0X{key}\r\n"),
        format!("# comment\n\n{key}\n"),
        format!("# curve p256, private key\n{key}\n"),
        json!({"secret_key": key}).to_string(),
        format!("tag,secret_key\n1,{key}\n"),
    ];
    let mut signatures = Vec::new();
    let mut public = Vec::new();
    for (index, form) in forms.iter().enumerate() {
        let file = TemporaryFile::new(&format!("form{index}.hex"), form);
        let signed = run(
            &["sign", "--curve", "p256", "--key-file", file.path()],
            digest.clone(),
        );
        signatures.push(answers(&signed)[0]["signature"].clone());
        public.push(
            answers(&run(&["pubkey", "--curve", "p256", file.path()], ""))[0]["public_key"].clone(),
        );
    }
    assert!(signatures[0].is_string() && public[0].is_string());
    assert!(
        signatures
            .iter()
            .all(|signature| *signature == signatures[0]),
        "{signatures:?}"
    );
    assert!(public.iter().all(|key| *key == public[0]), "{public:?}");
    let named = TemporaryFile::new("named.csv", format!("mykey\n{key}\n"));
    let named = run(
        &[
            "pubkey",
            "--curve",
            "p256",
            "--columns",
            "secret_key=mykey",
            named.path(),
        ],
        "",
    );
    assert_eq!(
        answers(&named),
        [json!({"public_key": public[0]})],
        "{}",
        stderr(&named)
    );
    // A stray quote in a list of bare keys affects only its own line.
    let list = answers(&run(
        &["pubkey", "--curve", "p256"],
        format!("nothex\n\"\n{key}\n"),
    ));
    assert_eq!(list.len(), 3);
    assert_eq!(list[2]["public_key"], public[0]);
}

#[test]
fn no_key_is_shown_whatever_its_form() {
    let number = "1234567890123456";
    let forms = [
        format!("{{\"secret_key\":{number}}}"),
        format!("{{\"secret_key\":[{number}]}}"),
        format!("{{\"secret_key\":\"{number}\"}}"),
        format!("{{\"secret_key\":\"{number}"),
        format!("secret_key\n{number}\n"),
        number.to_owned(),
    ];
    for (index, form) in forms.iter().enumerate() {
        let file = TemporaryFile::new(&format!("hidden{index}"), form);
        let as_input = run(&["pubkey", "--curve", "p256", file.path()], "");
        let as_key_file = run(&["sign", "--curve", "p256", "--key-file", file.path()], "");
        assert_eq!((code(&as_input), code(&as_key_file)), (2, 2), "{form}");
        for output in [as_input, as_key_file] {
            let printed = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
            assert!(!printed.contains(number), "{printed}");
        }
    }
}

#[cfg(unix)]
#[test]
fn key_files_that_others_can_read_get_a_warning() {
    use std::os::unix::fs::PermissionsExt;
    let file = TemporaryFile::new("mode.hex", "11".repeat(32));
    for (mode, warned) in [(0o600, false), (0o640, true), (0o604, true)] {
        std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        let calls = [
            run(
                &[
                    "sign",
                    "--curve",
                    "p256",
                    "--allow-empty",
                    "--key-file",
                    file.path(),
                ],
                "",
            ),
            run(&["pubkey", "--curve", "p256", file.path()], ""),
        ];
        for output in calls {
            assert_eq!(code(&output), 0);
            assert_eq!(
                stderr(&output).contains("can be read by other users"),
                warned,
                "{mode:o}"
            );
        }
    }
}

/// New files, and existing ones of any mode; files without secrets follow the user's umask.
#[cfg(unix)]
#[test]
fn shared_secrets_are_written_for_the_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let key = TemporaryFile::new("owner.hex", "11".repeat(32));
    let peers = format!(
        "public_key\n{}\n",
        hex::encode(signed::<P256>(1).public[0].as_sec1())
    );
    let mode =
        |file: &TemporaryFile| std::fs::metadata(file.path()).unwrap().permissions().mode() & 0o777;
    for (before, warned) in [
        (None, false),
        (Some(0o600), false),
        (Some(0o644), true),
        (Some(0o660), true),
    ] {
        let out = TemporaryFile::new("owner.out", "old ".repeat(1000));
        match before {
            Some(mode) => {
                std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(mode)).unwrap()
            }
            None => std::fs::remove_file(out.path()).unwrap(),
        }
        let output = run(
            &[
                "ecdh",
                "--curve",
                "p256",
                "--key-file",
                key.path(),
                "-o",
                out.path(),
            ],
            peers.clone(),
        );
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(
            stderr(&output).contains("others had access"),
            warned,
            "{before:?}: {}",
            stderr(&output)
        );
        assert_eq!(mode(&out), 0o600, "{before:?}");
        let text = std::fs::read_to_string(out.path()).unwrap();
        assert!(
            text.starts_with("{\"shared_secret\":\"") && text.lines().count() == 1,
            "{text}"
        );
    }
    // One that is open keeps its mode.
    let input = TemporaryFile::new("owner.csv", &peers);
    for (before, warned) in [(0o600, false), (0o644, true)] {
        let out = TemporaryFile::new("owner.open", "");
        std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(before)).unwrap();
        let file = std::fs::File::options()
            .append(true)
            .open(out.path())
            .unwrap();
        let arguments = [
            "ecdh",
            "--curve",
            "p256",
            "--key-file",
            key.path(),
            "-o",
            "/dev/stdout",
            input.path(),
        ];
        let output = gecc().args(arguments).stdout(file).output().unwrap();
        assert_eq!(
            (code(&output), mode(&out)),
            (0, before),
            "{}",
            stderr(&output)
        );
        assert_eq!(
            stderr(&output).contains("others have access"),
            warned,
            "{before:?}: {}",
            stderr(&output)
        );
    }
    let null = run(
        &[
            "ecdh",
            "--curve",
            "p256",
            "--key-file",
            key.path(),
            "-o",
            "/dev/null",
        ],
        peers,
    );
    assert_eq!((code(&null), stderr(&null).contains("others")), (0, false));
    let out = TemporaryFile::new("public.out", "");
    std::fs::set_permissions(out.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(
        code(&run(
            &["pubkey", "--curve", "p256", "-o", out.path()],
            "11".repeat(32)
        )),
        0
    );
    assert_eq!(mode(&out), 0o644);
}

#[test]
fn surplus_keys_get_a_warning() {
    let keys = TemporaryFile::new("surplus.hex", format!("{0}\n{0}\n{0}\n", "11".repeat(32)));
    let sign = |items: usize| {
        let input = format!("digest\n{}", format!("{}\n", "5a".repeat(32)).repeat(items));
        stderr(&run(
            &["sign", "--curve", "p256", "--key-file", keys.path()],
            input,
        ))
    };
    assert!(
        sign(2).contains("warning: the key file has 3 keys for 2 items"),
        "{}",
        sign(2)
    );
    assert!(!sign(3).contains("3 keys for"), "{}", sign(3));
}

/// Signs, verifies and derives keys with the command alone.
#[test]
fn every_curve_is_known_by_its_name() {
    let secret = "5a".repeat(32);
    let key = TemporaryFile::new("curves.hex", &secret);
    for curve in CurveId::ALL {
        let of_curve = |command: &str, more: &[&str], input: String| {
            let output = run(&[&[command, "--curve", curve.name()], more].concat(), input);
            assert!(code(&output) < 2, "{curve}: {}", stderr(&output));
            answers(&output)
        };
        let public = &of_curve("pubkey", &[], secret.clone())[0]["public_key"];
        let digest = "c3".repeat(32);
        let recoverable: &[&str] = if curve.has_ecdsa() {
            &["--recoverable"]
        } else {
            &[]
        };
        let more = [&["--key-file", key.path()], recoverable].concat();
        let signed = &of_curve("sign", &more, json!({ "digest": digest }).to_string())[0];
        let line = |digest: &str| {
            let signature = &signed["signature"];
            let id = &signed["recovery_id"];
            json!({"digest": digest, "signature": signature, "public_key": public, "recovery_id": id}).to_string()
                + "\n"
        };
        let verdicts = of_curve("verify", &[], line(&digest) + &line(&"c4".repeat(32)));
        assert_eq!(verdicts[0], json!({"valid": true}), "{curve}");
        assert_eq!(verdicts[1]["valid"], json!(false), "{curve}");
        if curve.has_ecdsa() {
            assert_eq!(
                of_curve("recover", &[], line(&digest)),
                [json!({ "public_key": public })],
                "{curve}"
            );
        }
        let shared = of_curve(
            "ecdh",
            &["--key-file", key.path()],
            json!({ "public_key": public }).to_string(),
        );
        assert_eq!(
            shared[0]["shared_secret"].as_str().map(str::len),
            Some(64),
            "{curve}"
        );
    }
    let unknown = run(&["verify", "--curve", "p257"], "");
    assert_eq!(code(&unknown), 2);
    assert!(
        CurveId::ALL
            .iter()
            .all(|curve| stderr(&unknown).contains(curve.name())),
        "{}",
        stderr(&unknown)
    );
    let without_recovery = run(&["recover", "--curve", "sm2"], "");
    assert!(code(&without_recovery) == 2 && stderr(&without_recovery).contains("brainpoolp256r1"));
}
