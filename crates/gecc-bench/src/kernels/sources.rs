//! The kernel files of `cuda/lab/`, compiled by NVRTC with the library's headers once per process
//! and GPU.

use super::generated::files::{HEADERS, KERNELS, WITHOUT_CURVE};
use gecc::lab::{Device, Fault, NO_CURVE, Text, Unit, compile};
use gecc::{CurveId, Error};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{ptr, thread};

/// Returns a file for a curve, or for none if the file does not depend on it.
pub fn text(file: &str, curve: &'static str) -> Text<'static> {
    let (file, source) = KERNELS
        .iter()
        .find(|(name, ..)| *name == file)
        .expect("a file of cuda/lab/");
    Text {
        unit: Unit {
            file,
            curve: if WITHOUT_CURVE.contains(file) {
                NO_CURVE
            } else {
                curve
            },
        },
        source,
        headers: HEADERS,
    }
}

/// Returns every file for every curve; files that do not depend on the curve occur once.
pub fn all() -> Vec<Text<'static>> {
    let mut texts = Vec::new();
    for (file, _) in KERNELS {
        let curves = if WITHOUT_CURVE.contains(file) {
            &CurveId::ALL[..1]
        } else {
            CurveId::ALL
        };
        texts.extend(curves.iter().map(|curve| text(file, curve.name())));
    }
    texts
}

/// Loads the kernels of some files on a device.
pub fn prepare(device: &Device, curve: &'static str, files: &[&str]) -> Result<(), Error> {
    thread::scope(|scope| {
        let started: Vec<_> = files
            .iter()
            .map(|file| scope.spawn(move || machine_code(device, &text(file, curve)).map(|_| ())))
            .collect();
        started
            .into_iter()
            .try_for_each(|thread| thread.join().expect("compiling does not panic"))
    })
}

/// Returns the machine code of a file, after loading its kernels on the device.
pub fn machine_code(device: &Device, text: &Text<'static>) -> Result<Arc<Vec<u8>>, Error> {
    /// Machine code by file and by the device that has loaded it. Devices live as long as the
    /// process.
    static LOADED: LazyLock<Mutex<HashMap<(Unit, usize), Arc<Vec<u8>>>>> =
        LazyLock::new(Mutex::default);
    let key = (text.unit, ptr::from_ref(device).addr());
    if let Some(code) = LOADED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .get(&key)
    {
        return Ok(code.clone());
    }
    let code = Arc::new(compile(text, &device.architecture)?.0);
    device
        .add(text.unit, code.to_vec())
        .map_err(|fault: Fault| Error::from(fault))?;
    LOADED
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, code.clone());
    Ok(code)
}
