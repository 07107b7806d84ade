//! Bytes of columns, from which GPUs copy without help of the host.

use gecc::{Engine, PageLocked};
use zeroize::Zeroize;

/// Zeros at first, locked where the engine has a GPU. Wiped when dropped where they may hold secrets.
pub struct Pages {
    bytes: PageLocked<u8>,
    secret: bool,
}

impl Pages {
    pub fn new(engine: &Engine, bytes: usize, secret: bool) -> Self {
        // A vector for which there is no memory ends the process, as any other.
        let bytes = engine.page_locked_zeros(bytes).unwrap_or_else(|_| vec![0; bytes].into());
        Pages { bytes, secret }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// Wipes this many of the first bytes, where they may be secret.
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
