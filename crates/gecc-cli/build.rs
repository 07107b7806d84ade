//! Finds the commit that the command is built from, for `gecc --version`.
//!
//! The sources are, in this order: the environment variable `GECC_COMMIT`, for builders of
//! packages; `.cargo_vcs_info.json`, which Cargo adds to packages; and the files of the git
//! repository, which are read without running git. Without any of them the commit is unknown.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Digits of a commit that are shown.
const DIGITS: usize = 12;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GECC_COMMIT");
    let package =
        PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let found = match env::var("GECC_COMMIT") {
        Ok(commit) if !commit.is_empty() => Found {
            commit: Some(commit),
            read: Vec::new(),
        },
        _ => Found::of(&package),
    };
    // Cargo runs this again when one of them changes. One that is not there would be a change each
    // time.
    for path in found.read.iter().filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    println!(
        "cargo::rustc-env=GECC_BUILD_COMMIT={}",
        found.commit.as_deref().unwrap_or("unknown")
    );
}

/// The commit of a package, and the files and folders by whose change it may become another.
pub struct Found {
    /// The commit, if any source of it was found.
    pub commit: Option<String>,
    /// The files and folders that were read.
    pub read: Vec<PathBuf>,
}

impl Found {
    /// Finds the commit of the package in a folder.
    pub fn of(package: &Path) -> Self {
        let note = package.join(".cargo_vcs_info.json");
        if let Ok(text) = fs::read_to_string(&note) {
            return Found {
                commit: noted_by_cargo(&text),
                read: vec![note],
            };
        }
        // Not the repository of a program that has this package in a folder of its own.
        match package.ancestors().nth(2) {
            Some(root) if root.join("crates/gecc-cli/build.rs").exists() => {
                Found::in_repository(&root.join(".git"))
            }
            _ => Found {
                commit: None,
                read: Vec::new(),
            },
        }
    }

    /// Finds the commit in git's folder, or by the file that a work tree has in its place.
    fn in_repository(git: &Path) -> Self {
        let Some(folder) = git_folder(git) else {
            return Found {
                commit: None,
                read: Vec::new(),
            };
        };
        let head = folder.join("HEAD");
        let text = fs::read_to_string(&head).unwrap_or_default();
        let Some(name) = text.trim().strip_prefix("ref: ") else {
            return Found {
                commit: shortened(&text),
                read: vec![head],
            };
        };
        // Branches are those of the repository, of which a work tree names the folder.
        let common = match fs::read_to_string(folder.join("commondir")) {
            Ok(common) => folder.join(common.trim()),
            Err(_) => folder,
        };
        let branch = common.join(name);
        if let Ok(text) = fs::read_to_string(&branch) {
            return Found {
                commit: shortened(&text),
                read: vec![head, branch],
            };
        }
        let packed = common.join("packed-refs");
        let refs = fs::read_to_string(&packed).unwrap_or_default();
        let commit = packed_commit(&refs, name).and_then(shortened);
        // The next commit makes a file for the branch, in this folder.
        let folder = branch.parent().map(Path::to_owned);
        Found {
            commit,
            read: [head, packed].into_iter().chain(folder).collect(),
        }
    }
}

/// Returns the line of a branch in the text of `packed-refs`, which begins with its commit.
fn packed_commit<'a>(refs: &'a str, branch: &str) -> Option<&'a str> {
    refs.lines().find(|line| {
        line.split_once(' ')
            .is_some_and(|(_, name)| name.trim() == branch)
    })
}

/// Git's folder itself, or the one that is named by a file in its place.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = fs::read_to_string(git).ok()?;
    let named = text.trim().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(named))
}

/// The commit in Cargo's note: `{"git": {"sha1": "…"}, …}`.
fn noted_by_cargo(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).and_then(shortened)
}

/// The first digits of a text that begins as a commit does.
fn shortened(text: &str) -> Option<String> {
    let digits = text.trim().get(..DIGITS)?;
    digits
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit())
        .then(|| digits.to_owned())
}
