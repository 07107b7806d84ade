//! The house has floors: a module uses what is below it.
//!
//! ARCHITECTURE.md lists the floors, from the ground up, in a block that begins with "```floors". A module may use
//! those listed before its own, its own, and the items of the folder that it is in. No modules use each other in a
//! circle, but a folder and what is in it. So it is in the crates too, which have no list of floors; and in the
//! command's job nothing uses the folder itself, which only says what others use of it.

#[path = "floors/source.rs"]
mod source;

use source::{Sources, parent};
use std::collections::HashSet;
use std::path::Path;

fn in_package(file: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The first word of each line of the block.
fn floors_of(page: &str) -> Vec<String> {
    let block = page.split_once("```floors\n").and_then(|(_, rest)| rest.split_once("```"));
    let (block, _) = block.expect("ARCHITECTURE.md has the block");
    block.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn modules_use_what_is_below_them() {
    let page = std::fs::read_to_string(in_package("ARCHITECTURE.md")).expect("it is part of the package");
    let sources = Sources::of_crate(&in_package("src/lib.rs"));
    let problems = problems(&sources, &floors_of(&page));
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// Each crate by the file that it begins with.
const CRATES: [&str; 11] = [
    "gecc-arrow/src/lib.rs",
    "gecc-bench/src/lib.rs",
    "gecc-bench/src/main.rs",
    "gecc-capi/src/lib.rs",
    "gecc-chains/src/lib.rs",
    "gecc-cli/src/lib.rs",
    "gecc-cli/src/main.rs",
    "gecc-datafusion/src/lib.rs",
    "gecc-duckdb/src/lib.rs",
    "gecc-keys/src/lib.rs",
    "gecc-python/src/lib.rs",
];

#[test]
fn no_files_of_crates_use_each_other_in_a_circle() {
    let crates = in_package("crates");
    let found = std::fs::read_dir(&crates).expect("it is part of the repository").count();
    let folders: HashSet<&str> = CRATES.iter().filter_map(|root| root.split('/').next()).collect();
    assert_eq!(folders.len(), found, "every crate is in the list");
    for root in CRATES {
        let circles = circles(&Sources::of_crate(&crates.join(root)));
        assert!(circles.is_empty(), "{root}:\n{}\n", circles.join("\n"));
    }
}

#[test]
fn nothing_in_the_job_uses_its_folder() {
    let sources = Sources::of_crate(&in_package("crates/gecc-cli/src/main.rs"));
    let above = uses_of_folder(&sources, "job");
    assert!(above.is_empty(), "\n{}\n", above.join("\n"));
}

/// What the modules in a folder use of the folder itself.
fn uses_of_folder(sources: &Sources, folder: &str) -> Vec<String> {
    let inside = sources.modules().filter(|module| is_in(module, folder));
    let uses = inside.filter_map(|module| Some(format!("{module}, by {}", sources.uses(module).get(folder)?)));
    uses.collect()
}

/// What is wrong with a house that is to have these floors.
fn problems(sources: &Sources, floors: &[String]) -> Vec<String> {
    let mut problems = unknown_modules(sources, floors);
    for module in sources.modules() {
        for (used, path) in sources.uses(module) {
            problems.extend(problem_of_use(floors, module, &used).map(|problem| format!("{problem}, by {path}")));
        }
    }
    problems.extend(circles(sources));
    problems
}

/// Modules that are on no floor, and floors without a module. A folder of which one module is listed has all of them
/// listed.
fn unknown_modules(sources: &Sources, floors: &[String]) -> Vec<String> {
    let is_divided = |folder: &str| floors.iter().any(|floor| parent(floor) == folder);
    let missing = sources.modules().filter(|module| is_divided(parent(module)) && !floors.iter().any(|f| f == module));
    let missing = missing.map(|module| format!("{module} is not in the list of floors"));
    let gone = floors.iter().filter(|floor| !sources.modules().any(|module| module == *floor));
    missing.chain(gone.map(|floor| format!("{floor} is in the list of floors, and no module"))).collect()
}

/// Why a module may not use another.
fn problem_of_use(floors: &[String], module: &str, used: &str) -> Option<String> {
    if used.is_empty() {
        return Some(format!("{module} uses a name of the crate's root, not the module that it is of"));
    }
    let (own, of_used) = (floor_of(floors, module)?, floor_of(floors, used)?);
    let (own_name, name) = (&floors[own], &floors[of_used]);
    let is_allowed = of_used <= own || is_in(own_name, name);
    (!is_allowed).then(|| format!("{module} ({own_name}) uses {used} ({name}), which is above it"))
}

/// The number of a module's floor: that of itself, or of the nearest folder that has one.
fn floor_of(floors: &[String], module: &str) -> Option<usize> {
    let found = floors.iter().position(|floor| floor == module);
    found.or_else(|| if module.is_empty() { None } else { floor_of(floors, parent(module)) })
}

/// Whether a module is in a folder.
fn is_in(module: &str, folder: &str) -> bool {
    module.strip_prefix(folder).is_some_and(|rest| rest.starts_with("::"))
}

/// Modules that use each other in a circle, without what a folder and its modules use of each other.
fn circles(sources: &Sources) -> Vec<String> {
    let (mut done, mut circles) = (HashSet::new(), Vec::new());
    for module in sources.modules() {
        circles.extend(circle_from(sources, module, &mut Vec::new(), &mut done));
    }
    circles
}

/// The first circle that a search from a module meets. `way` leads to the module; from what is `done` there is none.
fn circle_from(sources: &Sources, module: &str, way: &mut Vec<String>, done: &mut HashSet<String>) -> Option<String> {
    if let Some(start) = way.iter().position(|before| before == module) {
        return Some(format!("in a circle: {} -> {module}", way[start..].join(" -> ")));
    }
    if !done.insert(module.to_owned()) {
        return None;
    }
    way.push(module.to_owned());
    let others = sources.uses(module).into_keys().filter(|used| !is_in(used, module) && !is_in(module, used));
    let found = others.filter(|used| !used.is_empty()).find_map(|used| circle_from(sources, &used, way, done));
    way.pop();
    found
}

/// The problems of a house of a few modules.
fn problems_of(modules: &[(&str, &str)], floors: &[&str]) -> Vec<String> {
    let mut sources = Sources::default();
    sources.add("", "");
    modules.iter().for_each(|(module, text)| _ = sources.add(module, text));
    let floors: Vec<String> = floors.iter().map(|floor| (*floor).to_owned()).collect();
    problems(&sources, &floors)
}

#[test]
fn a_use_of_what_is_above_is_found() {
    let floors = ["types", "gpu::runtime", "gpu::schedule", "gpu", "engine"];
    let problems_with = |module: &'static str, text: &'static str| {
        let mut modules = vec![
            ("types", "pub struct Error;"),
            ("gpu", "pub use schedule::Lane;\nuse crate::types::Error;"),
            ("gpu::runtime", "use crate::types::Error;\npub struct Stream;"),
            ("gpu::schedule", "use super::runtime::Stream;\npub struct Lane(Stream);"),
            ("engine", "use crate::{gpu::{Lane, runtime::Stream as S}, types::Error};\npub use crate::types::Policy;"),
        ];
        modules.push((module, text));
        problems_of(&modules, &floors)
    };
    assert_eq!(problems_with("types", ""), [""; 0]);
    // In use lines of every form, in the code, and by way of another module's names.
    for (module, text) in [
        ("types", "use crate::engine::Engine;"),
        ("types", "pub(crate) use crate::{\n    engine::{self, Engine},\n};"),
        ("types", "    let engine = crate::engine::Engine::new();"),
        ("gpu::runtime", "use super::schedule::Lane;"),
        ("gpu::runtime", "use crate::gpu::Lane;"),
        ("gpu::schedule", "use crate::engine::Policy;"),
        ("gpu::runtime", "    fn f(lane: &super::schedule::Lane) {}"),
        ("gpu::runtime", "use super::schedule;\n    fn f(lane: &schedule::Lane) {}"),
        ("types", "use crate as this;\n    let engine = this::engine::Engine::new();"),
    ] {
        let found = problems_with(module, text);
        assert!(found.iter().any(|problem| problem.contains("above it")), "{module}: {text}: {found:?}");
    }
    // A name of the root does not tell which module it is of.
    assert_eq!(problems_with("engine", "use crate::Error;").len(), 1);
    // Below it, in its folder, or only said in a comment or to tests.
    for (module, text) in [
        ("gpu::schedule", "use crate::gpu::Engine;"),
        ("types", "//! [`crate::engine`]"),
        ("types", "#[cfg(test)]\nmod tests {\n    use crate::engine::Engine;\n}"),
        ("types", "#[cfg(test)]\npub fn f() -> crate::engine::Engine {\n    todo!()\n}"),
    ] {
        assert_eq!(problems_with(module, text), [""; 0], "{module}: {text}");
    }
}

#[test]
fn circles_are_found() {
    let modules =
        |of_point| [("types", "pub mod point;"), ("types::keys", "use super::point;"), ("types::point", of_point)];
    assert_eq!(problems_of(&modules(""), &["types"]), [""; 0]);
    assert_eq!(problems_of(&modules("use super::Types;"), &["types"]), [""; 0]);
    let found = problems_of(&modules("use super::keys::Keys;"), &["types"]);
    assert_eq!(found, ["in a circle: types::keys -> types::point -> types::keys"]);
    // By way of the folder's name alone.
    let folders = |of_cpu| {
        let (frame, verify) =
            ("pub mod verify;\npub mod together;", "use super::together;\n    together::cpu::find();");
        problems_of(
            &[
                ("frame", frame),
                ("frame::verify", verify),
                ("frame::together", "pub mod cpu;"),
                ("frame::together::cpu", of_cpu),
            ],
            &["frame"],
        )
    };
    assert_eq!(folders(""), [""; 0]);
    assert!(folders("use crate::frame::verify::Equations;").iter().any(|problem| problem.starts_with("in a circle")));
}

#[test]
fn uses_of_a_folder_are_found_and_a_crate_of_an_import_is_none() {
    let mut sources = Sources::default();
    for (module, text) in [
        ("", "mod job;"),
        ("job", "pub mod run;\npub mod steps;\npub use run::Job;\npub trait Operation {}"),
        ("job::run", "use super::steps::Step;\nuse ctrlc::ctrlc;\n    ctrlc::set();"),
        ("job::steps", ""),
    ] {
        sources.add(module, text);
    }
    assert_eq!(uses_of_folder(&sources, "job"), [""; 0]);
    sources.add("job::steps", "use super::Operation;");
    assert_eq!(uses_of_folder(&sources, "job"), ["job::steps, by super::Operation"]);
}

#[test]
fn every_module_has_a_floor() {
    let modules = [("gpu", ""), ("gpu::runtime", ""), ("gpu::runtime::stream", ""), ("types", "")];
    assert_eq!(problems_of(&modules, &["types", "gpu"]), [""; 0]);
    assert_eq!(problems_of(&modules, &["gpu"]), ["types is not in the list of floors"]);
    let problems = problems_of(&modules, &["types", "gpu::schedule", "gpu"]);
    let expected =
        ["gpu::runtime is not in the list of floors", "gpu::schedule is in the list of floors, and no module"];
    assert_eq!(problems, expected);
}
