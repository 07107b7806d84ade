//! Signals that end a command: the first ends it behind the answers that are under way, the second ends the program at
//! once. Ctrl-C and SIGTERM, and on Unix what a terminal sends when it is closed, Ctrl-\ and the limit of processor
//! time.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// The signal that came first; 0 before.
static SIGNAL: AtomicI32 = AtomicI32::new(0);
/// The number that a shell adds to that of the signal that ended a program.
const BY_SIGNAL: u8 = 128;
const CTRL_C: i32 = 2;

/// A flag that the first of these signals sets.
pub fn watch() -> Result<&'static AtomicBool, String> {
    // A process has one handler, and tests run several commands in one.
    static HANDLED: OnceLock<Result<(), String>> = OnceLock::new();
    HANDLED.get_or_init(handle).clone()?;
    Ok(&INTERRUPTED)
}

/// The flag that [`watch`] gives, also where nobody watches.
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

/// Makes a file that has reached the limit of its size (`ulimit -f`) an error of writing, in place of a signal that
/// ends the program without a word.
#[cfg(unix)]
pub fn ignore_limit_of_files() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: to ignore a signal is no handler. Where it fails the signal does what it did.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

#[cfg(not(unix))]
pub fn ignore_limit_of_files() {}

#[cfg(unix)]
fn handle() -> Result<(), String> {
    use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
    extern "C" fn on(signal: i32) {
        if !note(signal) {
            // SAFETY: POSIX allows it in handlers of signals.
            unsafe { nix::libc::_exit(i32::from(BY_SIGNAL) + signal) }
        }
    }
    let action = SigAction::new(SigHandler::Handler(on), SaFlags::SA_RESTART, SigSet::empty());
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGXCPU] {
        // SAFETY: the handler stores two atomic numbers or ends the process, which handlers of signals may do at any
        // time.
        let before = unsafe { sigaction(signal, &action) };
        let before = before.map_err(|problem| format!("{signal} cannot be handled: {problem}"))?;
        // `nohup` has the end of a terminal ignored, and shells have Ctrl-\ ignored by what runs in the background.
        let was_ignored = matches!(before.handler(), SigHandler::SigIgn);
        if was_ignored && matches!(signal, Signal::SIGHUP | Signal::SIGQUIT) {
            // SAFETY: as it was.
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
