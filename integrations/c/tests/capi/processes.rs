//! Engines in a forked child of the process that created them.

use super::{cpu, rows};
use crate::capi::engine::{gecc_engine_free, gecc_engine_new};
use crate::capi::keys::gecc_public_keys;
use crate::capi::status::GeccStatus;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

pub fn inherited_engine_fails_in_a_child() {
    let mut engine = cpu();
    assert_eq!(public_key(engine.0), GeccStatus::Ok);
    // SAFETY: the child calls the library, allocates, and ends without running what the parent has
    // registered.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // A panic must not reach the harness that the child inherited.
        let outcome = catch_unwind(AssertUnwindSafe(|| in_child(&mut engine)));
        // SAFETY: ends the child.
        unsafe { libc::_exit(outcome.unwrap_or(4)) };
    }
    let mut status = 0;
    // SAFETY: a child of this process.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(
        (libc::WIFEXITED(status), libc::WEXITSTATUS(status)),
        (true, 0)
    );
    assert_eq!(public_key(engine.0), GeccStatus::Ok);
}

/// Returns 0 if the inherited engine rejects calls and can be freed, and a new one works.
fn in_child(engine: &mut super::Handle) -> i32 {
    if public_key(engine.0) != GeccStatus::Forked {
        return 1;
    }
    unsafe { gecc_engine_free(engine.0) };
    engine.0 = null_mut();
    let options = super::GeccEngineOptions {
        backend: 1,
        threads: 2,
        ..super::no_options()
    };
    if unsafe { gecc_engine_new(&options, &mut engine.0) } != GeccStatus::Ok {
        return 2;
    }
    if public_key(engine.0) == GeccStatus::Ok {
        0
    } else {
        3
    }
}

/// Of enough keys to need the engine's threads.
fn public_key(engine: *const super::GeccEngine) -> GeccStatus {
    const ITEMS: usize = 600;
    let scalars = vec![[1; 32]; ITEMS];
    let (mut points, mut codes) = (vec![[0; 64]; ITEMS], vec![0; ITEMS]);
    let status = unsafe {
        gecc_public_keys(
            engine,
            1,
            ITEMS,
            rows(&scalars),
            points.as_mut_ptr().cast(),
            codes.as_mut_ptr(),
        )
    };
    let expected = if status == GeccStatus::Ok { 1 } else { 0 };
    assert!(codes.iter().all(|code| *code == expected));
    status
}
