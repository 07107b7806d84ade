//! Requirements that not every machine meets.

use gecc::{Backend, Engine, Error};
use std::env;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// A requirement that is checked once, when the first test needs it.
pub struct Need {
    variable: &'static str,
    problem: LazyLock<Option<String>>,
}

/// The outcome of a test that cannot run, with the reason.
pub enum Missing {
    /// It counts as ignored.
    Ignored(String),
    /// It fails, because the missing requirement is mandatory.
    Failed(String),
}

impl Need {
    /// `variable` is `GECC_REQUIRE_NAME` and makes the absence a failure; `problem` returns a
    /// description if the requirement is missing.
    pub const fn new(variable: &'static str, problem: fn() -> Option<String>) -> Self {
        Need {
            variable,
            problem: LazyLock::new(problem),
        }
    }

    /// Returns a description if the requirement is missing.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Returns the outcome of a test, if its requirement is missing.
    pub fn missing(&self) -> Option<Missing> {
        let problem = self.problem()?;
        let variable = self.variable;
        Some(match env::var(variable).as_deref() {
            Ok("1") => Missing::Failed(format!("{variable}=1, and {problem}")),
            _ => Missing::Ignored(format!("{problem}; {variable}=1 makes that a failure")),
        })
    }

    /// Returns the name for a report, such as `gpu`.
    pub fn name(&self) -> String {
        let name = self
            .variable
            .strip_prefix("GECC_REQUIRE_")
            .unwrap_or(self.variable);
        name.to_lowercase()
    }
}

pub static GPU: Need = Need::new("GECC_REQUIRE_GPU", || {
    match Engine::builder().backend(Backend::Gpu).build() {
        Err(Error::NoDevice(problem)) => Some(problem),
        // Whatever else is wrong is for the tests to find.
        _ => None,
    }
});

pub static SEVERAL_GPUS: Need = Need::new("GECC_REQUIRE_SEVERAL_GPUS", || {
    match Engine::builder().backend(Backend::Gpu).build() {
        Err(Error::NoDevice(problem)) => Some(problem),
        Ok(engine) if engine.info().devices.len() == 1 => Some("there is one GPU".to_owned()),
        _ => None,
    }
});

pub static AVX512: Need = Need::new("GECC_REQUIRE_AVX512", || {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512ifma") && is_x86_feature_detected!("avx512vbmi2") {
        return None;
    }
    Some("this processor has no AVX-512 IFMA".to_owned())
});

pub static CXX: Need = Need::new("GECC_REQUIRE_CXX", || cannot_run("C++ compiler", &cxx()));

pub static VALGRIND: Need = Need::new("GECC_REQUIRE_VALGRIND", || {
    cannot_run("valgrind", "valgrind")
});

static RELEASE: Need = Need::new("GECC_REQUIRE_RELEASE", || {
    cfg!(debug_assertions)
        .then(|| "built with debug assertions: the machine code of a release is another".to_owned())
});

/// The requirement of a test that inspects the compiler's output: a release build, and then another
/// requirement.
pub fn in_release(need: Option<&'static Need>) -> Option<&'static Need> {
    RELEASE.problem().map(|_| &RELEASE).or(need)
}

/// The C++ compiler.
pub fn cxx() -> String {
    env::var("CXX").unwrap_or_else(|_| "c++".to_owned())
}

fn cannot_run(what: &str, program: &str) -> Option<String> {
    let version = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version
        .err()
        .map(|problem| format!("no {what}: {program}: {problem}"))
}
