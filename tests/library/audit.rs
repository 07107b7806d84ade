//! The table of trusted code in `docs/audit.md` describes this tree.

use crate::harness::{Test, test};
use std::fs;
use std::path::Path;

/// The share by which the size of a file or folder may differ from the table.
const TOLERANCE: f64 = 0.15;

pub fn tests() -> Vec<Test> {
    vec![test(
        "audit::sizes_of_trusted_code_are_current",
        None,
        sizes_of_trusted_code_are_current,
    )]
}

fn sizes_of_trusted_code_are_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("docs/audit.md")).expect("the guide exists");
    let rows: Vec<(&str, usize)> = guide.lines().filter_map(row).collect();
    assert!(rows.len() > 40, "the tables have {} rows", rows.len());
    for (path, stated) in rows {
        let found = lines_of(&root.join(path));
        let difference = found.abs_diff(stated);
        assert!(
            difference as f64 <= TOLERANCE * stated as f64,
            "docs/audit.md: {path} has {found} lines, not {stated}"
        );
    }
}

/// Reads a row that states a path and its number of lines.
fn row(line: &str) -> Option<(&str, usize)> {
    let mut cells = line.strip_prefix("| `")?.split(" | ");
    let path = cells.next()?.strip_suffix('`')?;
    let lines = cells.next()?.parse().ok()?;
    Some((path, lines))
}

/// Counts the lines of Rust and CUDA sources in a file or folder.
fn lines_of(path: &Path) -> usize {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("the folder is readable");
        return entries
            .map(|entry| lines_of(&entry.expect("the folder is readable").path()))
            .sum();
    }
    let extension = path.extension().and_then(|extension| extension.to_str());
    if !matches!(extension, Some("rs" | "cu" | "cuh")) {
        return 0;
    }
    let text =
        fs::read_to_string(path).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()));
    text.lines().count()
}
