//! Enforces the module layering of ARCHITECTURE.md.
//!
//! The document lists the layers, lowest first, in a block that begins with "```layers". A module
//! may use the layers above its line, its own layer, and the items of the folder that it is in.
//! There are no cycles, except between a folder and its own modules. The other crates have no list
//! of layers but must be free of cycles too, and in the command's `job` nothing uses the folder's
//! own file, which only re-exports.

mod source;

use crate::harness::{self, Test, named};
use source::{Sources, parent};
use std::collections::HashSet;
use std::path::Path;

pub fn tests() -> Vec<Test> {
    harness::tests(
        None,
        named![
            modules_use_lower_layers_only,
            files_of_crates_have_no_cycles,
            job_modules_do_not_use_their_folder,
            use_of_a_higher_layer_is_found,
            cycles_are_found,
            uses_of_folders_are_found_except_crates_of_imports,
            every_module_has_a_layer,
            calls_are_followed_through_existing_functions
        ],
    )
}

fn in_package(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The first word of each line of the block.
fn layers_of(page: &str) -> Vec<String> {
    let block = page
        .split_once("```layers\n")
        .and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.expect("ARCHITECTURE.md has the block");
    block
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

fn modules_use_lower_layers_only() {
    let page =
        std::fs::read_to_string(in_package("ARCHITECTURE.md")).expect("it is part of the package");
    let sources = Sources::of_crate(&in_package("src/lib.rs"));
    let problems = problems(&sources, &layers_of(&page));
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// The tables of "Following a call" name functions of the files next to them.
fn calls_are_followed_through_existing_functions() {
    let page =
        std::fs::read_to_string(in_package("ARCHITECTURE.md")).expect("it is part of the package");
    let mut steps = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.split(" | ").collect();
        let (Some(number), [_, function, file, ..]) = (cells[0].strip_prefix("| "), &cells[..])
        else {
            continue;
        };
        if number.parse::<u32>().is_err() {
            continue;
        }
        let name = function
            .trim_matches('`')
            .rsplit("::")
            .next()
            .expect("a name");
        let file = file.trim_matches('`');
        let source = std::fs::read_to_string(in_package(file))
            .unwrap_or_else(|problem| panic!("{file}: {problem}"));
        let is_defined = ["(", "<"]
            .iter()
            .any(|next| source.contains(&format!("fn {name}{next}")));
        assert!(is_defined, "{file} has no function {name}");
        steps += 1;
    }
    assert!(steps > 30, "only {steps} steps are listed");
}

/// The folders of the other crates.
const FOLDERS: [&str; 2] = ["crates", "integrations"];

/// The root files of the crates in these folders.
const ROOTS: [&str; 10] = [
    "crates/gecc-arrow/src/lib.rs",
    "crates/gecc-bench/src/lib.rs",
    "crates/gecc-bench/src/main.rs",
    "crates/gecc-chains/src/lib.rs",
    "crates/gecc-cli/src/lib.rs",
    "crates/gecc-keys/src/lib.rs",
    "integrations/c/src/lib.rs",
    "integrations/datafusion/src/lib.rs",
    "integrations/duckdb/src/lib.rs",
    "integrations/python/src/lib.rs",
];

fn files_of_crates_have_no_cycles() {
    for folder in FOLDERS {
        for entry in std::fs::read_dir(in_package(folder)).expect("it is part of the repository") {
            let name = entry.expect("the folder can be read").file_name();
            let package = format!("{folder}/{}/", name.display());
            let is_listed = ROOTS.iter().any(|root| root.starts_with(&package));
            assert!(is_listed, "{package} has no root file in the list");
        }
    }
    for root in ROOTS {
        let cycles = cycles(&Sources::of_crate(&in_package(root)));
        assert!(cycles.is_empty(), "{root}:\n{}\n", cycles.join("\n"));
    }
}

fn job_modules_do_not_use_their_folder() {
    let sources = Sources::of_crate(&in_package("crates/gecc-cli/src/lib.rs"));
    assert!(
        sources.modules().any(|module| is_in(module, "job")),
        "the folder has modules"
    );
    let above = uses_of_folder(&sources, "job");
    assert!(above.is_empty(), "\n{}\n", above.join("\n"));
}

/// Uses of a folder's own module by the modules in it.
fn uses_of_folder(sources: &Sources, folder: &str) -> Vec<String> {
    let inside = sources.modules().filter(|module| is_in(module, folder));
    let uses = inside.filter_map(|module| {
        Some(format!(
            "{module}, by {}",
            sources.uses(module).get(folder)?
        ))
    });
    uses.collect()
}

/// Returns the violations of these layers.
fn problems(sources: &Sources, layers: &[String]) -> Vec<String> {
    let mut problems = unknown_modules(sources, layers);
    for module in sources.modules() {
        for (used, path) in sources.uses(module) {
            problems.extend(
                problem_of_use(layers, module, &used)
                    .map(|problem| format!("{problem}, by {path}")),
            );
        }
    }
    problems.extend(cycles(sources));
    problems
}

/// Returns modules without a layer and layers without a module. Where one module of a folder is
/// listed, all must be.
fn unknown_modules(sources: &Sources, layers: &[String]) -> Vec<String> {
    let folders: HashSet<&str> = layers.iter().map(|layer| parent(layer)).collect();
    let missing = sources.modules().filter(|module| {
        folders.contains(parent(module)) && !layers.iter().any(|layer| layer == module)
    });
    let missing = missing.map(|module| format!("{module} is not in the list of layers"));
    let gone = layers
        .iter()
        .filter(|layer| !sources.modules().any(|module| module == *layer));
    missing
        .chain(gone.map(|layer| format!("{layer} is in the list of layers but is not a module")))
        .collect()
}

/// The reason why a module may not use another.
fn problem_of_use(layers: &[String], module: &str, used: &str) -> Option<String> {
    if used.is_empty() {
        return Some(format!(
            "{module} uses a name of the crate's root instead of the module that defines it"
        ));
    }
    let own = layer_of(layers, module)?;
    let of_used = layer_of(layers, used)?;
    let own_name = &layers[own];
    let name = &layers[of_used];
    let is_allowed = of_used <= own || is_in(own_name, name);
    (!is_allowed).then(|| format!("{module} ({own_name}) uses {used} ({name}), which is above it"))
}

/// Returns the index of a module's layer: its own, or that of the nearest enclosing folder that has
/// one.
fn layer_of(layers: &[String], module: &str) -> Option<usize> {
    let found = layers.iter().position(|layer| layer == module);
    found.or_else(|| {
        if module.is_empty() {
            None
        } else {
            layer_of(layers, parent(module))
        }
    })
}

/// Returns whether a module is in a folder.
fn is_in(module: &str, folder: &str) -> bool {
    module
        .strip_prefix(folder)
        .is_some_and(|rest| rest.starts_with("::"))
}

/// Modules that use each other in a cycle, except for uses between a folder and its modules.
fn cycles(sources: &Sources) -> Vec<String> {
    let mut done = HashSet::new();
    let mut cycles = Vec::new();
    for module in sources.modules() {
        cycles.extend(cycle_from(sources, module, &mut Vec::new(), &mut done));
    }
    cycles
}

/// The first cycle that a search from a module meets. `way` leads to the module; modules in `done`
/// lead to no cycle.
fn cycle_from(
    sources: &Sources,
    module: &str,
    way: &mut Vec<String>,
    done: &mut HashSet<String>,
) -> Option<String> {
    if let Some(start) = way.iter().position(|before| before == module) {
        return Some(format!(
            "in a cycle: {} -> {module}",
            way[start..].join(" -> ")
        ));
    }
    if !done.insert(module.to_owned()) {
        return None;
    }
    way.push(module.to_owned());
    let others = sources
        .uses(module)
        .into_keys()
        .filter(|used| !is_in(used, module) && !is_in(module, used));
    let found = others
        .filter(|used| !used.is_empty())
        .find_map(|used| cycle_from(sources, &used, way, done));
    way.pop();
    found
}

/// Returns the violations among a few made-up modules.
fn problems_of(modules: &[(&str, &str)], layers: &[&str]) -> Vec<String> {
    let mut sources = Sources::default();
    sources.add("", "");
    modules
        .iter()
        .for_each(|(module, text)| _ = sources.add(module, text));
    let layers: Vec<String> = layers.iter().map(|layer| (*layer).to_owned()).collect();
    problems(&sources, &layers)
}

/// Returns the violations among modules of five layers, after one is extended by some lines.
fn problems_with(module: &str, text: &str) -> Vec<String> {
    let modules = [
        ("types", "pub struct Error;"),
        ("gpu", "pub use schedule::Lane;\nuse crate::types::Error;"),
        (
            "gpu::runtime",
            "use crate::types::Error;\npub struct Stream;",
        ),
        (
            "gpu::schedule",
            "use super::runtime::Stream;\npub struct Lane(Stream);",
        ),
        (
            "engine",
            "use crate::{gpu::{Lane, runtime::Stream as S}, types::Error};\npub use crate::types::Policy;",
        ),
        (module, text),
    ];
    problems_of(
        &modules,
        &["types", "gpu::runtime", "gpu::schedule", "gpu", "engine"],
    )
}

fn use_of_a_higher_layer_is_found() {
    assert_eq!(problems_with("types", ""), [""; 0]);
    // In use lines of every form, in the code, and by way of another module's names.
    for (module, text) in [
        ("types", "use crate::engine::Engine;"),
        (
            "types",
            "pub(crate) use crate::{\n    engine::{self, Engine},\n};",
        ),
        ("types", "    let engine = crate::engine::Engine::new();"),
        ("gpu::runtime", "use super::schedule::Lane;"),
        ("gpu::runtime", "use crate::gpu::Lane;"),
        ("gpu::schedule", "use crate::engine::Policy;"),
        ("gpu::runtime", "    fn f(lane: &super::schedule::Lane) {}"),
        (
            "gpu::runtime",
            "use super::schedule;\n    fn f(lane: &schedule::Lane) {}",
        ),
        (
            "types",
            "use crate as this;\n    let engine = this::engine::Engine::new();",
        ),
    ] {
        let found = problems_with(module, text);
        assert!(
            found.iter().any(|problem| problem.contains("above it")),
            "{module}: {text}: {found:?}"
        );
    }
    // A name of the root does not reveal the module that defines it.
    assert_eq!(problems_with("engine", "use crate::Error;").len(), 1);
    // Below it, in its folder, or only mentioned in a comment or in tests.
    for (module, text) in [
        ("gpu::schedule", "use crate::gpu::Engine;"),
        ("types", "//! [`crate::engine`]"),
        (
            "types",
            "#[cfg(test)]\nmod tests {\n    use crate::engine::Engine;\n}",
        ),
        (
            "types",
            "#[cfg(test)]\npub fn f() -> crate::engine::Engine {\n    todo!()\n}",
        ),
    ] {
        assert_eq!(problems_with(module, text), [""; 0], "{module}: {text}");
    }
}

fn cycles_are_found() {
    let cycle = "in a cycle: types::keys -> types::point -> types::keys";
    for (point, expected) in [
        ("", &[][..]),
        ("use super::Types;", &[]),
        ("use super::keys::Keys;", &[cycle]),
    ] {
        let modules = [
            ("types", "pub mod point;"),
            ("types::keys", "use super::point;"),
            ("types::point", point),
        ];
        assert_eq!(problems_of(&modules, &["types"]), expected);
    }
    // By way of the folder's name alone.
    for (cpu, has_cycle) in [("", false), ("use crate::common::verify::Equations;", true)] {
        let modules = [
            ("common", "pub mod verify;\npub mod batch_verification;"),
            (
                "common::verify",
                "use super::batch_verification;\n    batch_verification::cpu::find();",
            ),
            ("common::batch_verification", "pub mod cpu;"),
            ("common::batch_verification::cpu", cpu),
        ];
        let problems = problems_of(&modules, &["common"]);
        assert_eq!(
            problems
                .iter()
                .any(|problem| problem.starts_with("in a cycle")),
            has_cycle,
            "{problems:?}"
        );
        assert!(has_cycle || problems.is_empty(), "{problems:?}");
    }
}

fn uses_of_folders_are_found_except_crates_of_imports() {
    let mut sources = Sources::default();
    for (module, text) in [
        ("", "mod job;"),
        (
            "job",
            "pub mod run;\npub mod steps;\npub use run::Job;\npub trait Operation {}",
        ),
        (
            "job::run",
            "use super::steps::Step;\nuse ctrlc::ctrlc;\n    ctrlc::set();",
        ),
        ("job::steps", ""),
    ] {
        sources.add(module, text);
    }
    assert_eq!(uses_of_folder(&sources, "job"), [""; 0]);
    sources.add("job::steps", "use super::Operation;");
    assert_eq!(
        uses_of_folder(&sources, "job"),
        ["job::steps, by super::Operation"]
    );
}

fn every_module_has_a_layer() {
    let modules = [
        ("gpu", ""),
        ("gpu::runtime", ""),
        ("gpu::runtime::stream", ""),
        ("types", ""),
    ];
    assert_eq!(problems_of(&modules, &["types", "gpu"]), [""; 0]);
    assert_eq!(
        problems_of(&modules, &["gpu"]),
        ["types is not in the list of layers"]
    );
    let problems = problems_of(&modules, &["types", "gpu::schedule", "gpu"]);
    let expected = [
        "gpu::runtime is not in the list of layers",
        "gpu::schedule is in the list of layers but is not a module",
    ];
    assert_eq!(problems, expected);
}
