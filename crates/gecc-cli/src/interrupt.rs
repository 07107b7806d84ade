//! Signals that end a command. The first signal ends it after the answers in progress, the second
//! terminates the program at once. Handled are Ctrl-C and SIGTERM, and on Unix also SIGHUP (the
//! terminal is closed), SIGQUIT (Ctrl-\) and SIGXCPU (the limit of processor time).

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The first signal received; 0 before.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The offset that shells add to the number of the signal that ended a program.
const BY_SIGNAL: u8 = 128;
const CTRL_C: i32 = 2;

/// Installs the handlers, and returns the flag that the first signal sets.
pub fn watch() -> Result<&'static AtomicBool, String> {
    // A process has one handler, and tests run several commands in one process.
    static HANDLED: OnceLock<Result<(), String>> = OnceLock::new();
    HANDLED.get_or_init(handle).clone()?;
    Ok(&INTERRUPTED)
}

/// Returns the flag of [`watch`] without installing handlers.
pub fn flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Returns the exit code that shells expect after the signal: 130 for Ctrl-C, 143 for SIGTERM.
pub fn code() -> u8 {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => BY_SIGNAL + CTRL_C as u8,
        signal => BY_SIGNAL + signal as u8,
    }
}

/// Records a signal. Returns whether it is the first.
fn note(signal: i32) -> bool {
    INTERRUPTED.store(true, Ordering::Relaxed);
    SIGNAL.swap(signal, Ordering::Relaxed) == 0
}

/// Ignores SIGXFSZ, so that a file that reaches its size limit (`ulimit -f`) is a write error and
/// does not terminate the program silently.
#[cfg(unix)]
pub fn ignore_limit_of_files() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: ignoring a signal installs no handler. If it fails, the signal keeps its action.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

#[cfg(not(unix))]
pub fn ignore_limit_of_files() {}

#[cfg(unix)]
fn handle() -> Result<(), String> {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
    extern "C" fn on(signal: i32) {
        if !note(signal) {
            // SAFETY: POSIX allows `_exit` in signal handlers.
            unsafe { nix::libc::_exit(i32::from(BY_SIGNAL) + signal) }
        }
    }
    let action = SigAction::new(
        SigHandler::Handler(on),
        SaFlags::SA_RESTART,
        SigSet::empty(),
    );
    for signal in [
        Signal::SIGINT,
        Signal::SIGTERM,
        Signal::SIGHUP,
        Signal::SIGQUIT,
        Signal::SIGXCPU,
    ] {
        // SAFETY: the handler stores two atomic numbers or ends the process, both of which are
        // allowed in a signal handler at any time.
        let before = unsafe { sigaction(signal, &action) };
        let before = before.map_err(|problem| format!("{signal} cannot be handled: {problem}"))?;
        // `nohup` ignores SIGHUP, and shells ignore SIGQUIT for background processes: keep it so.
        let was_ignored = matches!(before.handler(), SigHandler::SigIgn);
        if was_ignored && matches!(signal, Signal::SIGHUP | Signal::SIGQUIT) {
            // SAFETY: this restores the previous action.
            let _ = unsafe { sigaction(signal, &before) };
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn handle() -> Result<(), String> {
    let handled = ctrlc::set_handler(|| {
        if !note(CTRL_C) {
            std::process::exit(i32::from(BY_SIGNAL) + CTRL_C);
        }
    });
    handled.map_err(|problem| format!("Ctrl-C cannot be handled: {problem}"))
}
