//! Checks for every curve, or for every scheme, of `curves/`.

/// `each_curve!(check(engine))` calls `check::<C>(engine)` for every curve.
macro_rules! each_curve {
    ([$check:ident $arguments:tt] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
        $($check::<gecc::$curve> $arguments;)*
    };
    ($check:ident $arguments:tt) => {
        gecc::for_each_curve!(each_curve! $check $arguments)
    };
}

/// Runs a function for the curves of ECDSA.
macro_rules! each_ecdsa_curve {
    ([$check:ident $arguments:tt] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
        $($check::<gecc::$curve> $arguments;)*
    };
    ($check:ident $arguments:tt) => {
        gecc::for_each_ecdsa_curve!(each_ecdsa_curve! $check $arguments)
    };
}

/// Runs a function for ECDSA on each of its curves.
macro_rules! each_ecdsa {
    ([$check:ident $arguments:tt] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
        $($check::<Ecdsa<gecc::$curve>> $arguments;)*
    };
    ($check:ident $arguments:tt) => {
        gecc::for_each_ecdsa_curve!(each_ecdsa! $check $arguments)
    };
}

/// Runs a function for every scheme: `Ecdsa` on each of its curves, and `Sm2Dsa`.
macro_rules! each_scheme {
    ([$check:ident $arguments:tt] $($curve:ident $name:ident $module:tt $reference:tt;)*) => {
        $($check::<Ecdsa<gecc::$curve>> $arguments;)*
        $check::<Sm2Dsa> $arguments
    };
    ($check:ident $arguments:tt) => {
        gecc::for_each_ecdsa_curve!(each_scheme! $check $arguments)
    };
}

pub(crate) use {each_curve, each_ecdsa, each_ecdsa_curve, each_scheme};
