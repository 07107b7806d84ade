//! Failures of `gecc kernels`, such as a full disk, an unwritable folder or a missing NVRTC: the
//! messages are helpful, and an incomplete file never passes for a kernel. Also covers kernels that
//! cannot be cached or compiled when they are needed. (The unit tests of `kernel_cache.rs`,
//! `pack.rs` and `machine_code.rs` in `src/gpu/runtime` cover how the engine treats damaged and
//! foreign files.)
//!
//! Tests that only compile need NVRTC but no GPU.

#[path = "../../../tests/harness/mod.rs"]
mod harness;
#[path = "../../../tests/harness/nvrtc.rs"]
mod nvrtc;

use harness::needs::GPU;
use harness::{named, tests};
use nvrtc::NVRTC;
use sha2::{Digest, Sha256};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output, Stdio};
use std::{env, fs, process};

const ARCHITECTURE: &str = "sm_90";
/// The limit of the file size, in blocks of 512 or 1024 bytes depending on the shell. Every kernel
/// is larger.
const MOST_BLOCKS: u32 = 4;

fn main() -> ExitCode {
    let mut all = tests(
        Some(&NVRTC),
        named![
            full_disk_is_reported_and_leaves_no_files,
            a_killed_process_leaves_no_part_of_a_kernel,
            unwritable_folder_is_reported,
            configured_folder_precedes_the_loader,
        ],
    );
    all.extend(tests(
        None,
        named![missing_nvrtc_is_reported, unusable_packs_are_reported],
    ));
    all.extend(tests(
        Some(&GPU),
        named![
            damaged_or_unwritable_kernel_cache_does_not_change_answers,
            pack_is_used_without_nvrtc,
            devices_without_kernels_are_reported,
        ],
    ));
    harness::run(all)
}

/// A folder of this test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("gecc-kernels-{}-{name}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary folder is writable");
        Folder(path)
    }

    /// The names of kernels, and of all other files.
    fn files(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("readable").path());
        paths.partition(|path| {
            path.extension()
                .is_some_and(|extension| extension == "cubin")
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn build(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command
        .args(["kernels", "build", "--arch", ARCHITECTURE, "--out"])
        .arg(folder);
    command
}

fn pack(architecture: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command
        .args(["kernels", "pack", "--arch", architecture, "--out"])
        .arg(folder);
    command
}

/// Runs `gecc kernels build` in a shell that limits the size of files.
fn build_within_limits(folder: &Path) -> Output {
    let script = format!(r#"ulimit -c 0; ulimit -f {MOST_BLOCKS}; exec "$0" "$@""#);
    let gecc = env!("CARGO_BIN_EXE_gecc");
    let mut command = Command::new("sh");
    command
        .args([
            "-c",
            &script,
            gecc,
            "kernels",
            "build",
            "--arch",
            ARCHITECTURE,
            "--out",
        ])
        .arg(folder);
    command.output().expect("sh runs")
}

/// Requires that the command failed, and returns its message.
fn problem(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("gecc: kernels: "), "{text}");
    text
}

/// Returns whether a file is complete: its header contains the hash of its name, without the
/// version of NVRTC, and of the machine code.
fn is_whole(path: &Path) -> bool {
    let content = fs::read(path).expect("readable");
    let name = path.file_name().expect("a file").to_str().expect("UTF-8");
    let stem = &name[..name.rfind("nvrtc").expect("the version at the end")];
    let Some((hash, code)) = content
        .strip_prefix(b"gecc kernels v1\n")
        .and_then(|rest| rest.split_at_checked(32))
    else {
        return false;
    };
    let expected = Sha256::new()
        .chain_update(stem)
        .chain_update([0])
        .chain_update(code)
        .finalize();
    hash == expected.as_slice() && code.starts_with(b"\x7fELF")
}

fn full_disk_is_reported_and_leaves_no_files() {
    let folder = Folder::new("full");
    // The command ignores SIGXFSZ, so writing fails as on a full disk.
    let text = problem(&build_within_limits(&folder.0));
    assert!(
        text.contains(folder.0.to_str().expect("UTF-8")) && text.contains("File too large"),
        "{text}"
    );
    assert_eq!(folder.files(), (vec![], vec![]));
}

fn a_killed_process_leaves_no_part_of_a_kernel() {
    let folder = Folder::new("killed");
    // The temporary file of `kernel_files::write_whole` in a process that was killed while writing.
    let leftover = folder
        .0
        .join(".hash_sm_90_nvrtc13.0.cubin.0123456789abcdef.tmp");
    fs::write(&leftover, b"gecc kernels v1\n and a part of the hash").expect("writable");
    // It does not affect the next process, which is killed while it compiles or writes its third
    // file.
    let mut child = build(&folder.0)
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
    let printed: Vec<PathBuf> = lines
        .take(2)
        .map(|line| line.expect("UTF-8").into())
        .collect();
    child.kill().expect("still running");
    child.wait().expect("a child");
    let (kernels, others) = folder.files();
    assert!(
        printed.len() == 2 && printed.iter().all(|path| kernels.contains(path)),
        "{printed:?}, {kernels:?}"
    );
    assert!(kernels.iter().all(|path| is_whole(path)), "{kernels:?}");
    assert!(others.contains(&leftover), "{others:?}");
}

fn unwritable_folder_is_reported() {
    let folder = Folder::new("in-the-way");
    let file = folder.0.join("file");
    fs::write(&file, "in the way").expect("writable");
    let out = file.join("kernels");
    for mut command in [build(&out), pack(ARCHITECTURE, &out)] {
        let text = problem(&command.output().expect("the binary runs"));
        assert!(text.contains(out.to_str().expect("UTF-8")), "{text}");
    }
    // NVRTC reports an unknown architecture.
    let text = problem(
        &pack("sm_1", &folder.0.join("packs"))
            .output()
            .expect("the binary runs"),
    );
    assert!(text.contains("sm_1"), "{text}");
    assert_eq!(
        fs::read_dir(folder.0.join("packs"))
            .expect("it is made")
            .count(),
        0
    );
    // Root is exempt from permissions.
    if !rustix::process::geteuid().is_root() {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o555)).expect("the owner may");
        let text = problem(&build(&folder.0).output().expect("the binary runs"));
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).expect("the owner may");
        assert!(text.contains(folder.0.to_str().expect("UTF-8")), "{text}");
    }
}

fn configured_folder_precedes_the_loader() {
    let loader = Folder::new("loader");
    let maps = fs::read_to_string("/proc/self/maps").expect("Linux");
    let other = maps
        .split_whitespace()
        .find(|word| word.contains("/libc"))
        .expect("the C library is loaded");
    symlink(other, loader.0.join("libnvrtc.so")).expect("writable");
    let doctor = |change: fn(&mut Command)| {
        let mut doctor = Command::new(env!("CARGO_BIN_EXE_gecc"));
        doctor.arg("doctor").env("LD_LIBRARY_PATH", &loader.0);
        change(&mut doctor);
        line_on(" NVRTC: ", &doctor.output().expect("the binary runs"))
    };
    let line = doctor(|_| ());
    assert!(line.starts_with("[ok]"), "{line}");
    // A library without the functions of NVRTC is not accepted.
    let line = doctor(|doctor| _ = doctor.env_remove("GECC_NVRTC_DIR"));
    assert!(
        line.starts_with("[--]") && line.contains("nvrtcVersion"),
        "{line}"
    );
}

fn missing_nvrtc_is_reported() {
    let libraries = Folder::new("no-libraries");
    let out = Folder::new("no-nvrtc");
    let without = |libraries: &Path| {
        let output = build(&out.0)
            .env("GECC_NVRTC_DIR", libraries)
            .output()
            .expect("the binary runs");
        let text = problem(&output);
        assert!(text.contains("GECC_NVRTC_DIR"), "{text}");
        text
    };
    let text = without(&libraries.0);
    assert!(
        text.contains("there is no libnvrtc in that folder"),
        "{text}"
    );
    let output = pack(ARCHITECTURE, &out.0)
        .env("GECC_NVRTC_DIR", &libraries.0)
        .output()
        .expect("the binary runs");
    assert_eq!(problem(&output), text);
    let text = without(&libraries.0.join("absent"));
    assert!(text.contains("No such file or directory"), "{text}");
    fs::write(libraries.0.join("libnvrtc.so.13"), "no library").expect("writable");
    let text = without(&libraries.0);
    assert!(text.contains("libnvrtc.so.13"), "{text}");
    // `gecc doctor` gives advice.
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_gecc"));
    let output = doctor
        .arg("doctor")
        .env("GECC_NVRTC_DIR", &libraries.0)
        .output()
        .expect("the binary runs");
    let line = line_on(" NVRTC: ", &output);
    assert!(
        line.starts_with("[--]")
            && line.contains("gecc kernels pack")
            && line.contains("GECC_KERNEL_CACHE"),
        "{line}"
    );
    assert_eq!(out.files(), (vec![], vec![]));
}

/// Returns the line of `gecc doctor` on kernel packs, with `folder` as `GECC_KERNELS`.
fn doctor_of_packs(folder: &str) -> String {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_gecc"));
    line_on(
        "kernel packs:",
        &doctor
            .arg("doctor")
            .env("GECC_KERNELS", folder)
            .output()
            .expect("the binary runs"),
    )
}

/// Returns the line of an output that contains `topic`.
fn line_on(topic: &str, output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .find(|line| line.contains(topic))
        .unwrap_or_else(|| panic!("no line on {topic}: {text}"))
        .to_owned()
}

fn unusable_packs_are_reported() {
    let folder = Folder::new("not-packs");
    let packs = folder.0.to_str().expect("UTF-8");
    let line = doctor_of_packs(packs);
    assert!(
        line.starts_with("[!!]") && line.contains(packs) && line.contains("contains no pack"),
        "{line}"
    );
    let path = folder.0.join("sm_90.gecckernels");
    fs::write(&path, [0x5a; 5000]).expect("writable");
    let line = doctor_of_packs(packs);
    assert!(
        line.starts_with("[!!]") && line.contains("sm_90.gecckernels: the file is damaged"),
        "{line}"
    );
    // An empty value disables packs, and a path that is not a folder is an error.
    assert!(doctor_of_packs("").contains("none next to this program"));
    assert!(doctor_of_packs(path.to_str().expect("UTF-8")).starts_with("[!!]"));
}

/// Runs `gecc pubkey` for the key 1, with kernels packed in `packs` or cached in `cache`, and NVRTC
/// from `nvrtc` if given.
fn pubkey(engine: &str, packs: Option<&Path>, cache: &Path, nvrtc: Option<&Path>) -> Output {
    let input = Folder::new("input");
    let key = input.0.join("key");
    fs::write(&key, format!("{:064x}\n", 1)).expect("writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command
        .args(["pubkey", "--curve", "secp256k1", "--engine", engine])
        .arg(&key)
        .env("GECC_KERNEL_CACHE", cache);
    command.env("GECC_KERNELS", packs.unwrap_or(Path::new("")));
    if let Some(folder) = nvrtc {
        command.env("GECC_NVRTC_DIR", folder);
    }
    command.output().expect("the binary runs")
}

/// Requires the right public key.
fn assert_right(output: &Output) {
    let x = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stdout).contains(x),
        "{output:?}"
    );
}

fn damaged_or_unwritable_kernel_cache_does_not_change_answers() {
    let cache = Folder::new("cache");
    let no_nvrtc = Folder::new("no-nvrtc");
    assert_right(&pubkey("gpu", None, &cache.0, None));
    let (kernels, _) = cache.files();
    assert!(!kernels.is_empty());
    // From the cache alone.
    let contents: Vec<Vec<u8>> = kernels
        .iter()
        .map(|path| fs::read(path).expect("readable"))
        .collect();
    for damage in [0, 20, 1000] {
        for (path, content) in kernels.iter().zip(&contents) {
            fs::write(path, &content[..damage.min(content.len())]).expect("writable");
        }
        assert_right(&pubkey("gpu", None, &cache.0, None));
        let repaired = kernels
            .iter()
            .zip(&contents)
            .all(|(path, content)| fs::read(path).expect("readable") == *content);
        assert!(repaired, "damaged files are replaced");
    }
    // The folder is a file, or does not exist and cannot be created.
    assert_right(&pubkey("gpu", None, &kernels[0], None));
    assert_right(&pubkey("gpu", None, &kernels[0].join("below"), None));
    // NVRTC is missing, and the cache is empty.
    let empty = Folder::new("empty");
    let output = pubkey("gpu", None, &empty.0, Some(&no_nvrtc.0));
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in [
        "GPU 0",
        "GECC_NVRTC_DIR",
        "GECC_KERNELS",
        "gecc kernels pack",
        "GECC_KERNEL_CACHE",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The cache suffices without NVRTC.
    assert_right(&pubkey("gpu", None, &cache.0, Some(&no_nvrtc.0)));
}

/// The driver and a pack suffice. If the pack is damaged, kernels are compiled with NVRTC; if that
/// is missing, the message names the pack.
fn pack_is_used_without_nvrtc() {
    let packs = Folder::new("packs");
    let empty = Folder::new("nothing-here");
    let cache = Folder::new("cache-with-packs");
    let doctor = Command::new(env!("CARGO_BIN_EXE_gecc"))
        .args(["doctor", "--kernels"])
        .output();
    let report = String::from_utf8(doctor.expect("the binary runs").stdout).expect("UTF-8");
    let of_kernels = report.lines().filter(|line| line.contains(" obtained in "));
    let architecture = of_kernels
        .flat_map(|line| line.split([' ', ',']))
        .find(|word| word.starts_with("sm_"));
    let architecture = architecture.unwrap_or_else(|| panic!("no architecture: {report}"));
    let output = pack(architecture, &packs.0)
        .output()
        .expect("the binary runs");
    assert!(output.status.success(), "{output:?}");
    assert_right(&pubkey("gpu", Some(&packs.0), &cache.0, Some(&empty.0)));
    assert_eq!(cache.files(), (vec![], vec![]), "nothing was compiled");
    // The self-test covers all operations.
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_gecc"));
    doctor
        .arg("doctor")
        .env("GECC_KERNELS", &packs.0)
        .env("GECC_KERNEL_CACHE", &cache.0);
    let report = doctor
        .env("GECC_NVRTC_DIR", &empty.0)
        .output()
        .expect("the binary runs")
        .stdout;
    let report = String::from_utf8(report).expect("UTF-8");
    for part in [
        "[ok] known answers: every operation",
        " files from packs, 0 from the cache, 0 compiled just now",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
    let path = packs.0.join(format!("{architecture}.gecckernels"));
    let mut damaged = fs::read(&path).expect("it is there");
    damaged[50] ^= 1;
    fs::write(&path, damaged).expect("writable");
    let output = pubkey("gpu", Some(&packs.0), &cache.0, Some(&empty.0));
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains(path.to_str().expect("UTF-8")) && text.contains("the file is damaged"),
        "{text}"
    );
    assert_right(&pubkey("gpu", Some(&packs.0), &cache.0, None));
    assert_ne!(
        cache.files().0.len(),
        0,
        "kernels missing from the pack were compiled"
    );
}

/// If kernels cannot be compiled, the CPU does their work and a message reports it.
fn devices_without_kernels_are_reported() {
    let empty = Folder::new("nothing");
    let input = Folder::new("keys");
    let keys = input.0.join("keys");
    fs::write(&keys, format!("{:064x}\n", 1).repeat(1 << 15)).expect("writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gecc"));
    command.args(["pubkey", "--curve", "secp256k1"]).arg(&keys);
    command
        .env("GECC_KERNELS", "")
        .env("GECC_KERNEL_CACHE", &empty.0)
        .env("GECC_NVRTC_DIR", &empty.0);
    let output = command.output();
    let output = output.expect("the binary runs");
    assert_right(&output);
    assert_eq!(
        output.stdout.iter().filter(|byte| **byte == b'\n').count(),
        1 << 15
    );
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("cannot use some kernels for now") && text.contains("gecc kernels pack"),
        "{text}"
    );
}
