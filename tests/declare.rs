//! Declares tests where they are written.
//!
//! ```ignore
//! #[apply(on_every_engine)]
//! fn ids_above_3_are_rejected(engine: &Engine) { … }
//!
//! #[apply(on_every_engine)] // once for each curve of ECDSA
//! fn every_position_is_isolated<C: EcdsaReference>(engine: &Engine) { … }
//!
//! #[apply(on_every_engine)] // once for each suite of OPRFs
//! fn blinds_are_fresh<S: OprfSuite>(engine: &Engine) { … }
//!
//! #[apply(once)]
//! fn encoding_is_its_own_inverse() { … }
//! ```

use gecc::Engine;

pub use macro_rules_attribute::apply;

/// A declared test.
pub struct Declared {
    module: &'static str,
    name: &'static str,
    /// The curve or the suite of a generic test.
    parameter: Option<&'static str>,
    pub test: Test,
}

/// The function of a test.
#[derive(Clone, Copy)]
pub enum Test {
    OnEveryEngine(fn(&Engine)),
    Once(fn()),
}

inventory::collect!(Declared);

impl Declared {
    pub const fn new(module: &'static str, name: &'static str, test: Test) -> Self {
        Declared {
            module,
            name,
            parameter: None,
            test,
        }
    }

    pub const fn with(self, parameter: &'static str) -> Self {
        Declared {
            parameter: Some(parameter),
            ..self
        }
    }

    /// Returns the path of the test in this crate, such as `ecdsa::recover::ids_above_3_are_rejected`.
    pub fn path(&self) -> String {
        let (_, module) = self
            .module
            .split_once("::")
            .expect("a module inside the crate");
        let parameter = self.parameter.map(|parameter| format!("::{parameter}"));
        format!("{module}::{}{}", self.name, parameter.unwrap_or_default())
    }
}

/// Returns all declared tests, ordered by path.
pub fn declared() -> Vec<&'static Declared> {
    let mut tests: Vec<&Declared> = inventory::iter::<Declared>.into_iter().collect();
    tests.sort_by_cached_key(|test| test.path());
    tests
}

/// Declares a function of an engine as a test that runs on every engine. If it is generic over the
/// curve or the suite, it is a test for each curve of ECDSA, or for each suite of OPRFs.
macro_rules! on_every_engine {
    ($(#[$attribute:meta])* fn $name:ident<C: EcdsaReference> $($rest:tt)*) => {
        $(#[$attribute])* fn $name<C: EcdsaReference> $($rest)*
        gecc::for_each_ecdsa_curve!(on_every_engine! $name);
    };
    ([$test:ident] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
        $(inventory::submit! {
            $crate::declare::Declared::new(
                module_path!(),
                stringify!($test),
                $crate::declare::Test::OnEveryEngine($test::<gecc::$curve>),
            )
            .with(stringify!($name))
        })*
    };
    ($(#[$attribute:meta])* fn $name:ident<S: OprfSuite> $($rest:tt)*) => {
        $(#[$attribute])* fn $name<S: OprfSuite> $($rest)*
        on_every_engine!(suites $name: P256Sha256 p256, Ristretto255Sha512 ristretto255);
    };
    (suites $test:ident: $($suite:ident $name:ident),*) => {
        $(inventory::submit! {
            $crate::declare::Declared::new(
                module_path!(),
                stringify!($test),
                $crate::declare::Test::OnEveryEngine($test::<gecc::oprf::$suite>),
            )
            .with(stringify!($name))
        })*
    };
    ($(#[$attribute:meta])* fn $name:ident $($rest:tt)*) => {
        $(#[$attribute])* fn $name $($rest)*
        inventory::submit! {
            $crate::declare::Declared::new(
                module_path!(),
                stringify!($name),
                $crate::declare::Test::OnEveryEngine($name),
            )
        }
    };
}

/// Declares a function without arguments as a test that runs once, because it needs no engine.
macro_rules! once {
    ($(#[$attribute:meta])* fn $name:ident $($rest:tt)*) => {
        $(#[$attribute])* fn $name $($rest)*
        inventory::submit! {
            $crate::declare::Declared::new(
                module_path!(),
                stringify!($name),
                $crate::declare::Test::Once($name),
            )
        }
    };
}

pub(crate) use {on_every_engine, once};
