//! The selection of files in folders that contain other things as well.

use crate::harness::{self, Test, named};
use gecc::Engine;
use gecc_chains::certificates::{Options, check};
use gecc_chains::{Settings, files_of};
use rayon::ThreadPoolBuilder;
use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::thread;

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            links_and_pipes,
            pipes_and_devices_that_are_named,
            folders_of_nodes
        ],
    )
}

fn pipe(path: &Path) {
    let path = CString::new(path.as_os_str().as_bytes()).unwrap();
    // SAFETY: the path ends with a zero.
    assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
}

fn names(folder: &Path, named: &[PathBuf]) -> Vec<String> {
    let found = files_of(named);
    assert_eq!(found.problems, []);
    let name = |path: &Path| {
        path.strip_prefix(folder)
            .unwrap()
            .to_str()
            .unwrap()
            .to_owned()
    };
    found.files.iter().map(|(path, _)| name(path)).collect()
}

fn links_and_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::create_dir(at("z")).unwrap();
    for name in ["a/b/1", "a/2", "z/3", "z/.hidden"] {
        fs::write(at(name), name).unwrap();
    }
    // Folders in themselves, over and over.
    for (to, link) in [
        (".", "self"),
        ("..", "a/b/up"),
        ("../a", "z/again"),
        ("/dev/zero", "zero"),
        ("a/2", "same"),
    ] {
        symlink(to, at(link)).unwrap();
    }
    for index in 0..20 {
        symlink(".", at(&format!("a/loop{index}"))).unwrap();
    }
    fs::hard_link(at("a/b/1"), at("z/hard")).unwrap();
    pipe(&at("pipe"));
    let all = ["a/2", "a/b/1", "z/3"];
    let whole = folder.path().to_owned();
    assert_eq!(names(folder.path(), std::slice::from_ref(&whole)), all);
    // A repeated folder is read once. Named files are always read, whatever their kind and however
    // often they are named.
    assert_eq!(names(folder.path(), &[whole.clone(), at("z")]), all);
    let named = [at("z/3"), at("z/3"), at("pipe"), at("same"), whole];
    assert_eq!(
        names(folder.path(), &named),
        ["z/3", "z/3", "pipe", "same", "a/b/1"]
    );
}

/// A named pipe is read to its end, and an endless device up to the length limit.
fn pipes_and_devices_that_are_named() {
    let engine = Engine::cpu().unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let interrupted = AtomicBool::new(false);
    let settings = Settings {
        max_memory: Some(0),
        ..Settings::new(&engine, &pool, &interrupted)
    };
    let check = |path: &Path| {
        check(
            &settings,
            &files_of(&[path.to_owned()]),
            &Options::default(),
        )
        .unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    pipe(&path);
    let certificates =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/sm2/sm2_certs.pem");
    let text = fs::read(certificates).unwrap();
    let writer = thread::spawn({
        let path = path.clone();
        move || fs::write(path, text).unwrap()
    });
    let found = check(&path);
    writer.join().unwrap();
    assert_eq!((found.answers.len(), found.problems), (105, Vec::new()));
    let found = check(Path::new("/dev/zero"));
    assert!(
        found.answers.is_empty() && found.problems[0].what.contains("limit"),
        "{:?}",
        found.problems
    );
}

/// Bitcoin Core's folders contain other files in addition to blocks, and other nodes' folders
/// contain no readable files.
fn folders_of_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let make = |names: &[&str]| {
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
    };
    let core = [
        "blocks/blk00000.dat",
        "blocks/blk00001.dat",
        "blocks/rev00000.dat",
        "blocks/xor.dat",
    ];
    make(
        &core
            .map(|name| format!("core/{name}"))
            .each_ref()
            .map(String::as_str),
    );
    make(&[
        "core/blocks/index/000005.ldb",
        "core/blocks/index/CURRENT",
        "core/chainstate/CURRENT",
        "core/peers.dat",
    ]);
    for named in ["core", "core/blocks"] {
        assert_eq!(
            names(&folder.path().join("core"), &[folder.path().join(named)]),
            core
        );
    }
    make(&[
        "geth/geth/chaindata/ancient/chain/a",
        "geth/geth/chaindata/CURRENT",
        "geth/geth/chaindata/MANIFEST-000001",
    ]);
    make(&[
        "reth/db/mdbx.dat",
        "reth/static_files/a",
        "erigon/snapshots/v1-000000-000500-bodies.seg",
    ]);
    make(&[
        "erigon/chaindata/mdbx.dat",
        "pebble/CURRENT",
        "pebble/MANIFEST-000001",
        "pebble/000001.sst",
    ]);
    let hints = [
        ("geth", "geth export"),
        ("geth/geth", "geth export"),
        ("geth/geth/chaindata", "geth export"),
        ("reth", "cryo transactions"),
        ("erigon", "cryo transactions"),
        ("erigon/snapshots", "Erigon"),
        ("pebble", "a node's database"),
    ];
    for (name, hint) in hints {
        let found = files_of(&[folder.path().join(name)]);
        assert_eq!((found.files.len(), found.problems.len()), (0, 1), "{name}");
        assert!(
            found.problems[0].what.contains(hint) && !found.problems[0].what.ends_with('…'),
            "{:?}",
            found.problems
        );
    }
}
