//! Which standard streams the program was started with. The runtime of Rust puts `/dev/null` in the place of those that
//! are closed, and takes a write that the system refuses (`EBADF`) for done, so that answers would be lost without a
//! word.

#[cfg(unix)]
use nix::libc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether each was closed.
#[cfg(unix)]
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Looks before the runtime of Rust starts.
#[cfg(unix)]
extern "C" fn look() {
    for (descriptor, closed) in (0..).zip(&CLOSED) {
        closed.store(flags(descriptor).is_none(), Ordering::Relaxed);
    }
}

// SAFETY: functions in this section are called before `main`, with arguments that one without any ignores. This one
// calls `fcntl` and stores atomic values, for which nothing of the runtime is needed.
#[cfg(any(target_os = "linux", target_os = "freebsd", target_os = "android"))]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

// SAFETY: as above.
#[cfg(target_os = "macos")]
#[used]
#[unsafe(link_section = "__DATA,__mod_init_func")]
static LOOK: extern "C" fn() = look;

/// How a descriptor is open; `None` where it is not.
#[cfg(unix)]
fn flags(descriptor: libc::c_int) -> Option<libc::c_int> {
    // SAFETY: it reads what is known of the descriptor, if that is one.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    (flags != -1).then_some(flags)
}

/// # Errors
/// Where standard output is closed or not open for writing.
pub fn require_output() -> Result<(), String> {
    require(1, "standard output", false)
}

/// # Errors
/// Where standard error is closed or not open for writing.
pub fn require_error() -> Result<(), String> {
    require(2, "standard error", false)
}

/// # Errors
/// Where standard input is closed or not open for reading.
pub fn require_input() -> Result<(), String> {
    require(0, "standard input", true)
}

#[cfg(unix)]
fn require(descriptor: libc::c_int, name: &str, reads: bool) -> Result<(), String> {
    let is_closed = CLOSED[descriptor as usize].load(Ordering::Relaxed);
    let (other_way, purpose) = if reads { (libc::O_WRONLY, "reading") } else { (libc::O_RDONLY, "writing") };
    match flags(descriptor).filter(|_| !is_closed) {
        None => Err(format!("{name} is closed")),
        Some(flags) if flags & libc::O_ACCMODE == other_way => Err(format!("{name} is not open for {purpose}")),
        Some(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn require(_: i32, _: &str, _: bool) -> Result<(), String> {
    Ok(())
}
