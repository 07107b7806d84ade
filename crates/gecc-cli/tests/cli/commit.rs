//! The commit that `gecc --version` prints.

#[path = "../../build.rs"]
#[allow(dead_code, reason = "its `main` is Cargo's")]
mod build;

use crate::support::run;
use build::Found;
use std::fs;
use std::path::Path;
use std::process::Command;

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
const OTHER: &str = "fedcba9876543210fedcba9876543210fedcba98";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository with the package in it, without a commit.
fn repository() -> (tempfile::TempDir, std::path::PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let package = root.path().join("crates/gecc-cli");
    write(&package.join("build.rs"), "");
    (root, package)
}

fn commit_of(package: &Path) -> Option<String> {
    Found::of(package).commit
}

#[test]
fn commit_is_found_in_every_state_of_a_repository() {
    let (root, package) = repository();
    assert_eq!(commit_of(&package), None);
    let git = root.path().join(".git");
    // A branch with a file of its own, and with a line among others.
    write(&git.join("HEAD"), "ref: refs/heads/main\n");
    write(
        &git.join("packed-refs"),
        &format!("# pack-refs\n{OTHER} refs/heads/main-2\n{COMMIT} refs/heads/main\n"),
    );
    assert_eq!(commit_of(&package).as_deref(), Some(&COMMIT[..12]));
    assert!(
        Found::of(&package)
            .read
            .iter()
            .all(|path| !path.ends_with("main"))
    );
    write(&git.join("refs/heads/main"), &format!("{OTHER}\n"));
    assert_eq!(commit_of(&package).as_deref(), Some(&OTHER[..12]));
    assert!(
        Found::of(&package)
            .read
            .contains(&git.join("refs/heads/main"))
    );
    // Without a branch.
    write(&git.join("HEAD"), &format!("{COMMIT}\n"));
    assert_eq!(commit_of(&package).as_deref(), Some(&COMMIT[..12]));
    // A branch without a commit, and a folder that is not a repository.
    write(&git.join("HEAD"), "ref: refs/heads/none\n");
    assert_eq!(commit_of(&package), None);
    write(&git.join("HEAD"), "nothing\n");
    assert_eq!(commit_of(&package), None);
}

#[test]
fn work_trees_have_the_branches_of_their_repository() {
    let (root, package) = repository();
    let git = root.path().join("elsewhere/.git");
    write(
        &root.path().join(".git"),
        "gitdir: elsewhere/.git/worktrees/one\n",
    );
    write(&git.join("worktrees/one/HEAD"), "ref: refs/heads/one\n");
    write(&git.join("worktrees/one/commondir"), "../..\n");
    write(&git.join("refs/heads/one"), COMMIT);
    assert_eq!(commit_of(&package).as_deref(), Some(&COMMIT[..12]));
}

#[test]
fn packages_use_the_commit_recorded_by_cargo() {
    let root = tempfile::tempdir().unwrap();
    let package = root.path().join("vendor/gecc-cli");
    write(&package.join("build.rs"), "");
    // The repository of a program that has the package among its own files.
    write(&root.path().join(".git/HEAD"), OTHER);
    assert_eq!(commit_of(&package), None);
    write(
        &package.join(".cargo_vcs_info.json"),
        &format!("{{\n  \"git\": {{\n    \"sha1\": \"{COMMIT}\"\n  }}\n}}"),
    );
    assert_eq!(commit_of(&package).as_deref(), Some(&COMMIT[..12]));
}

#[test]
fn version_prints_commit_of_checkout() {
    let version = String::from_utf8(run(&["--version"], "").stdout).unwrap();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::new("git")
        .args(["-C", folder, "rev-parse", "--short=12", "HEAD"])
        .output();
    let expected = match output {
        Ok(output) if output.status.success() && std::env::var_os("GECC_COMMIT").is_none() => {
            output.stdout
        }
        _ => return,
    };
    let expected = String::from_utf8(expected).unwrap();
    assert!(
        version.contains(&format!("\ncommit: {expected}")),
        "{version}"
    );
}
