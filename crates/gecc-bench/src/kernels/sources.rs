//! The kernel files of `cuda/lab/`, compiled by NVRTC with the library's headers once per process
//! and GPU.

use gecc::lab::{Device, Fault, NO_CURVE, Text, Unit, compile};
use gecc::{CurveId, Error};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::{ptr, thread};

include!(concat!(env!("OUT_DIR"), "/device_sources.rs"));

/// Returns a file for a curve, or for none if the file does not depend on it.
pub fn text(file: &str, curve: &'static str) -> Text<'static> {
    let (file, source, needs_curve) = KERNELS
        .iter()
        .find(|(name, ..)| *name == file)
        .expect("a file of cuda/lab/");
    Text {
        unit: Unit {
            file,
            curve: if *needs_curve { curve } else { NO_CURVE },
        },
        source,
        headers: HEADERS,
    }
}

/// Returns every file for every curve; files that do not depend on the curve occur once.
pub fn all() -> Vec<Text<'static>> {
    let mut texts = Vec::new();
    for &(file, _, needs_curve) in KERNELS {
        let curves = if needs_curve {
            CurveId::ALL
        } else {
            &CurveId::ALL[..1]
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
