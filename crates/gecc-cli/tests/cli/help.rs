//! Descriptions of the command and of the machine.

use crate::support::run;

#[test]
fn help_doctor_and_completions() {
    let help = run(&["help", "verify"], "");
    assert!(String::from_utf8_lossy(&help.stdout).contains("Examples:"));
    let doctor = String::from_utf8(run(&["doctor"], "").stdout).unwrap();
    for what in ["cores", "engine", "NVIDIA GPUs", "NVRTC"] {
        assert!(doctor.contains(what), "{doctor}");
    }
    // If NVRTC is not found, the doctor gives advice, and does not mention errors of kernels.
    let nvrtc = doctor
        .lines()
        .find(|line| line.contains("NVRTC: "))
        .unwrap();
    assert!(!nvrtc.contains("kernels: "), "{nvrtc}");
    assert!(
        nvrtc.starts_with("[ok]")
            || nvrtc.contains("install the CUDA toolkit or `pip install nvidia"),
        "{nvrtc}"
    );
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell], "").stdout;
        assert!(
            String::from_utf8_lossy(&script).contains("recover"),
            "{shell}"
        );
    }
}

#[test]
fn version_and_help_name_the_command_gecc() {
    let version = String::from_utf8(run(&["-V"], "").stdout).unwrap();
    assert_eq!(version, format!("gecc {}\n", env!("CARGO_PKG_VERSION")));
    let help = String::from_utf8(run(&["help"], "").stdout).unwrap();
    assert!(
        help.starts_with("Batch elliptic-curve cryptography: ")
            && help.contains("Usage: gecc [OPTIONS] <COMMAND>"),
        "{help}"
    );
}

#[test]
fn help_describes_the_input_of_every_command() {
    for command in ["verify", "recover", "sign", "ecdh", "pubkey"] {
        let help = String::from_utf8(run(&["help", command], "").stdout).unwrap();
        for part in [
            "Example",
            "Output: {",
            "JSON Lines, JSON objects over several lines or in an array, CSV",
            "Exit codes",
        ] {
            assert!(help.contains(part), "{command}: {part}");
        }
    }
}

#[cfg(feature = "chains")]
#[test]
fn help_describes_the_commands_on_whole_chains() {
    for command in [
        &["ethereum", "senders"][..],
        &["bitcoin", "verify"],
        &["certificates"],
    ] {
        let help = String::from_utf8(run(&[command, &["--help"]].concat(), "").stdout).unwrap();
        for part in ["Example", "Output: {", "Paths are", "Exit codes"] {
            assert!(help.contains(part), "{command:?}: {part}");
        }
    }
}
