//! Detection of standard streams that were closed at start-up. Rust's runtime replaces closed
//! streams with `/dev/null`, and treats a write that the system refuses (`EBADF`) as successful, so
//! that answers would be lost silently.

#[cfg(unix)]
use nix::libc;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// The streams that were closed when the program started.
#[cfg(unix)]
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Examines the streams before Rust's runtime starts.
#[cfg(unix)]
extern "C" fn look() {
    for (descriptor, closed) in (0..).zip(&CLOSED) {
        closed.store(flags(descriptor).is_none(), Ordering::Relaxed);
    }
}

// SAFETY: functions in this section are called before `main`, with arguments that a function
// without parameters ignores. This one calls `fcntl` and stores atomic values, for which no runtime
// is needed.
#[cfg(any(target_os = "linux", target_os = "freebsd", target_os = "android"))]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

// SAFETY: as above.
#[cfg(target_os = "macos")]
#[used]
#[unsafe(link_section = "__DATA,__mod_init_func")]
static LOOK: extern "C" fn() = look;

/// Returns the flags of an open descriptor; `None` if it is not open.
#[cfg(unix)]
fn flags(descriptor: libc::c_int) -> Option<libc::c_int> {
    // SAFETY: this only reads the flags of the descriptor, if it exists.
    let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFL) };
    (flags != -1).then_some(flags)
}

/// Checks that standard output can be written to.
///
/// # Errors
/// Returns an error if standard output is closed or not open for writing.
pub fn require_output() -> Result<(), String> {
    require(1, "standard output", false)
}

/// Checks that standard error can be written to.
///
/// # Errors
/// Returns an error if standard error is closed or not open for writing.
pub fn require_error() -> Result<(), String> {
    require(2, "standard error", false)
}

/// Checks that standard input can be read.
///
/// # Errors
/// Returns an error if standard input is closed or not open for reading.
pub fn require_input() -> Result<(), String> {
    require(0, "standard input", true)
}

#[cfg(unix)]
fn require(descriptor: libc::c_int, name: &str, reads: bool) -> Result<(), String> {
    let is_closed = CLOSED[descriptor as usize].load(Ordering::Relaxed);
    let (other_way, purpose) = if reads {
        (libc::O_WRONLY, "reading")
    } else {
        (libc::O_RDONLY, "writing")
    };
    match flags(descriptor).filter(|_| !is_closed) {
        None => Err(format!("{name} is closed")),
        Some(flags) if flags & libc::O_ACCMODE == other_way => {
            Err(format!("{name} is not open for {purpose}"))
        }
        Some(_) => Ok(()),
    }
}

#[cfg(not(unix))]
fn require(_: i32, _: &str, _: bool) -> Result<(), String> {
    Ok(())
}
