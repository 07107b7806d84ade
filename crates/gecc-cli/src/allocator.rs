//! Reuse of freed memory between chunks.

/// Keeps freed memory in the process. By default glibc returns it to the system if it comes in
/// megabytes, and fresh pages for the results of a chunk cost more than writing the results.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const NEVER: libc::c_int = -1;
        // The size of a thread's heap: it is made usable at once and not page by page, for which
        // all threads wait.
        const HEAP: libc::c_int = 64 << 20;
        // SAFETY: these only change how later allocations get their memory.
        unsafe {
            libc::mallopt(libc::M_MMAP_MAX, 0);
            libc::mallopt(libc::M_TRIM_THRESHOLD, NEVER);
            libc::mallopt(libc::M_TOP_PAD, HEAP);
        }
    }
}

/// Returns large blocks to the system at once again, because freed memory between other blocks
/// would count against a memory limit.
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 1 << 18;
        // SAFETY: these only change how later allocations get their memory.
        unsafe {
            libc::mallopt(libc::M_MMAP_MAX, 1 << 16);
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TOP_PAD, LARGE);
        }
    }
}
