//! Writes the generated files into the working copy.

use std::fs;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = gecc_codegen::root();
    let files = match gecc_codegen::files(root) {
        Ok(files) => files,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    for file in files {
        if file.is_current(root) {
            continue;
        }
        let path = root.join(file.path);
        if let Err(problem) = fs::write(&path, file.text) {
            eprintln!("{}: {problem}", path.display());
            return ExitCode::FAILURE;
        }
        println!("written: {}", file.path);
    }
    ExitCode::SUCCESS
}
