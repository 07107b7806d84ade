//! Memory that one chunk has freed serves the next.

/// Keeps freed memory, which glibc otherwise returns to the system where it comes in megabytes: fresh pages for the
/// results of a chunk cost more than writing the results.
pub fn keep_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const NEVER: libc::c_int = -1;
        // As much as a heap of a thread has: it is made usable at once, not page by page, for which all threads wait.
        const HEAP: libc::c_int = 64 << 20;
        // SAFETY: these change how later allocations get their memory, and nothing else.
        unsafe {
            libc::mallopt(libc::M_MMAP_MAX, 0);
            libc::mallopt(libc::M_TRIM_THRESHOLD, NEVER);
            libc::mallopt(libc::M_TOP_PAD, HEAP);
        }
    }
}

/// Large blocks go back to the system at once again, where what lies freed between others would count against a limit.
pub fn give_back_freed() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        const LARGE: libc::c_int = 1 << 18;
        // SAFETY: these change how later allocations get their memory, and nothing else.
        unsafe {
            libc::mallopt(libc::M_MMAP_MAX, 1 << 16);
            libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TRIM_THRESHOLD, LARGE);
            libc::mallopt(libc::M_TOP_PAD, LARGE);
        }
    }
}
