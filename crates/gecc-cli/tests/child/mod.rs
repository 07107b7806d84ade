//! Runs a command and measures its memory.

use std::process::Command;

/// Runs a command. Returns its exit code, or `None` if a signal ended it, and its peak memory in
/// bytes. The peak includes the memory that this process has when it starts the command, so tests
/// that use this function keep their own memory small.
#[allow(
    clippy::zombie_processes,
    reason = "wait4 waits for it, and returns its peak memory"
)]
pub fn run(command: &mut Command) -> (Option<i32>, usize) {
    let child = command.spawn().expect("the command runs");
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    let mut status = 0;
    // SAFETY: both are writable, and the child is waited for nowhere else.
    let waited = unsafe { libc::wait4(child.id() as i32, &mut status, 0, usage.as_mut_ptr()) };
    assert_eq!(waited, child.id() as i32);
    let code = libc::WIFEXITED(status).then(|| libc::WEXITSTATUS(status));
    // SAFETY: all zeros are a valid value, and the system has written another one.
    (
        code,
        (unsafe { usage.assume_init() }.ru_maxrss as usize) << 10,
    )
}
