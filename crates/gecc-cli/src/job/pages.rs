//! Memory of columns, from which GPUs copy without help of the host.

use gecc::{Engine, PageLocked};
use zeroize::Zeroize;

/// Bytes that are zero initially, and page-locked if the engine has a GPU. They are wiped on drop
/// if they may hold secrets.
pub struct Pages {
    bytes: PageLocked<u8>,
    secret: bool,
}

impl Pages {
    pub fn new(engine: &Engine, bytes: usize, secret: bool) -> Self {
        // If there is no memory for the vector, the process ends, as with any other vector.
        let bytes = engine
            .page_locked_zeros(bytes)
            .unwrap_or_else(|_| vec![0; bytes].into());
        Pages { bytes, secret }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Wipes the first `bytes` bytes if they may be secret.
    pub fn wipe(&mut self, bytes: usize) {
        if self.secret {
            let bytes = bytes.min(self.bytes.len());
            self.bytes[..bytes].zeroize();
        }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        self.wipe(self.bytes.len());
    }
}
