//! Declares tests where they are written.
//!
//! ```ignore
//! #[apply(on_every_engine)]
//! fn ids_above_3_are_rejected(engine: &Engine) { … }
//!
//! #[apply(on_every_engine)] // once for each curve of ECDSA
//! fn every_position_is_isolated<C: EcdsaReference>(engine: &Engine) { … }
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
    curve: Option<&'static str>,
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
            curve: None,
            test,
        }
    }

    pub const fn of_curve(self, curve: &'static str) -> Self {
        Declared {
            curve: Some(curve),
            ..self
        }
    }

    /// Returns the path of the test in this crate, such as `ecdsa::recover::ids_above_3_are_rejected`.
    pub fn path(&self) -> String {
        let (_, module) = self
            .module
            .split_once("::")
            .expect("a module inside the crate");
        let curve = self.curve.map(|curve| format!("::{curve}"));
        format!("{module}::{}{}", self.name, curve.unwrap_or_default())
    }
}

/// Returns all declared tests, ordered by path.
pub fn declared() -> Vec<&'static Declared> {
    let mut tests: Vec<&Declared> = inventory::iter::<Declared>.into_iter().collect();
    tests.sort_by_cached_key(|test| test.path());
    tests
}

/// Declares a function of an engine as a test that runs on every engine. If it is generic over the
/// curve, it is a test for each curve of ECDSA.
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
            .of_curve(stringify!($name))
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
