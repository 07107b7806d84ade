//! The engine of calls without an engine argument: one per process, created when first needed.

use crate::errors::{ForkedError, exception};
use gecc::Engine;
use pyo3::prelude::*;
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

/// The engine of one process. It is never freed, because its process may use it to the end.
struct Slot {
    process: u32,
    /// Locked while the engine is created; other threads wait for it.
    engine: Mutex<Option<Engine>>,
    /// The slot of the process from which this one was forked.
    inherited: Option<&'static Slot>,
}

static SLOT: AtomicPtr<Slot> = AtomicPtr::new(ptr::null_mut());

/// Returns the slot of this process. No lock is taken, because in a forked child the
/// thread that holds it may not exist.
fn slot() -> &'static Slot {
    let process = process::id();
    loop {
        let found = SLOT.load(Ordering::Acquire);
        // SAFETY: null, or from `Box::into_raw` below and never freed.
        let inherited = unsafe { found.as_ref() };
        if let Some(slot) = inherited.filter(|slot| slot.process == process) {
            return slot;
        }
        let made = Box::into_raw(Box::new(Slot {
            process,
            engine: Mutex::new(None),
            inherited,
        }));
        if SLOT
            .compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            // SAFETY: no other thread has seen the pointer.
            drop(unsafe { Box::from_raw(made) });
        }
    }
}

/// Returns whether an engine could have used GPUs, or may have been about to when the process
/// forked.
fn may_use_gpus(slot: &Slot) -> bool {
    let engine = match slot.engine.try_lock() {
        Ok(engine) => engine,
        Err(_) => return true,
    };
    let uses = engine
        .as_ref()
        .is_some_and(|engine| !engine.info().devices.is_empty());
    uses || slot.inherited.is_some_and(may_use_gpus)
}

/// Returns the engine of calls without an engine argument.
///
/// # Errors
/// `ForkedError` if the process from which this one forked has used GPUs: the CUDA driver does not
/// work here, and such a program does not expect to use only the CPU.
pub fn get(py: Python<'_>) -> PyResult<Engine> {
    let slot = slot();
    if slot.inherited.is_some_and(may_use_gpus) {
        return Err(ForkedError::new_err(
            "this process forked from one that used GPUs, which cannot be used here: start processes by \"spawn\", or make \
             the first call after the fork, or pass engine=gecc.Engine(backend=\"cpu\")",
        ));
    }
    py.detach(|| {
        let mut engine = slot.engine.lock().unwrap_or_else(PoisonError::into_inner);
        match &*engine {
            Some(made) => Ok(made.clone()),
            None => Ok(engine.insert(Engine::new()?).clone()),
        }
    })
    .map_err(exception)
}
