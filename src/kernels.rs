//! Compiled kernels: building them ahead of time, and where they are kept.
//!
//! The GPU engine takes the kernels that it first needs from where they are, and else compiles them for the GPU that is
//! there, which takes some seconds:
//!
//! 1. a pack for the GPU's architecture, made by [`pack`], in the folder that [`crate::EngineBuilder::kernels`] or else
//!    the environment variable `GECC_KERNELS` names;
//! 2. the cache: the folder that `GECC_KERNEL_CACHE` names, else `gecc` in the user's cache folder. The engine keeps
//!    there what it has compiled, and [`build`] fills such a folder beforehand;
//! 3. a pack for an earlier architecture whose machine code runs on the GPU too, such as `sm_80` on `sm_86`;
//! 4. NVRTC, from the folder that `GECC_NVRTC_DIR` names, or else as the loader finds libraries.
//!
//! Files are used only if they are whole, were compiled from the sources of this very library, belong to the user or to
//! root, and can be written by nobody else.

use crate::gpu::runtime::Unit;
use crate::gpu::runtime::kernel_cache::Cache;
use crate::gpu::runtime::kernel_files;
use crate::gpu::runtime::machine_code::{of_other_sources, packs_of_environment};
use crate::gpu::runtime::nvrtc::Nvrtc;
use crate::gpu::runtime::pack::{self, Pack, Packed};
use crate::host::workers::Pool;
use crate::types::Error;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The architectures of which releases have packs. Their machine code runs on every GPU from Ampere on but for those of
/// Jetson boards.
pub const PACKED: &[&str] = &["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// The hash of the sources and options of all operations' kernels, as 32 hexadecimal digits. Libraries with the same
/// hash use each other's packs.
pub fn sources_hash() -> String {
    kernel_files::sources_hash()
}

/// The resource usage of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelUsage {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve; `none` where the file needs none.
    pub curve: &'static str,
    /// The kernel's name; the file's name for functions that several kernels call.
    pub kernel: String,
    /// Registers of a thread; 0 for a function that is not a kernel.
    pub registers: u32,
    /// Bytes of local memory that a thread writes because registers do not suffice.
    pub spill_stores: u32,
    /// Bytes read back.
    pub spill_loads: u32,
}

/// The machine code of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachineCode {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve; `none` where the file needs none.
    pub curve: &'static str,
    /// The kernels: an ELF file for the GPU.
    pub cubin: Vec<u8>,
}

/// Compiles every kernel for one architecture, such as `sm_90`, into a folder. Returns the files.
///
/// `report` gets each file's name as soon as it is there, from several threads.
///
/// # Errors
/// [`Error::Kernels`] when NVRTC is missing or cannot compile for the architecture, or the folder cannot be written;
/// [`Error::Threads`] when the system refuses the threads that compile.
pub fn build(architecture: &str, folder: &Path, report: impl Fn(&Path) + Sync) -> Result<Vec<PathBuf>, Error> {
    let (nvrtc, cache) = (Nvrtc::find().map_err(Error::Kernels)?, Cache::at(folder));
    // Compiling takes a minute: what fails without it shall fail before.
    std::fs::create_dir_all(folder).map_err(|problem| Error::Kernels(format!("{}: {problem}", folder.display())))?;
    let build = |unit: &Unit| {
        let path = cache.build(*unit, architecture, nvrtc).map_err(Error::Kernels)?;
        report(&path);
        Ok(path)
    };
    each(Unit::all(), build)
}

/// Compiles the kernels of all operations for one architecture, such as `sm_90`, into a file of a folder, the pack
/// `sm_90.gecckernels`, for [`crate::EngineBuilder::kernels`]. Returns the file.
///
/// It takes minutes of a core, and no GPU. A pack that is there already, whole and by the same version of NVRTC, is
/// kept. The pack serves a library of the very same sources.
///
/// # Errors
/// As for [`build`].
pub fn pack(architecture: &str, folder: &Path) -> Result<PathBuf, Error> {
    let (nvrtc, path) = (nvrtc_version()?, pack::path(folder, architecture));
    if check_pack(&path).is_ok_and(|there| there.nvrtc == nvrtc) {
        return Ok(path);
    }
    pack_units(Unit::all(), architecture, folder)
}

fn pack_units(units: impl Iterator<Item = Unit>, architecture: &str, folder: &Path) -> Result<PathBuf, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let of_folder = |problem: std::io::Error| Error::Kernels(format!("{}: {problem}", folder.display()));
    // As for `build`.
    std::fs::create_dir_all(folder).map_err(of_folder)?;
    let compile = |unit: &Unit| {
        let cubin = nvrtc.compile(*unit, architecture).map_err(Error::Kernels)?;
        Packed::new(*unit, architecture, &cubin).map_err(of_folder)
    };
    pack::write(folder, architecture, nvrtc, &each(units, compile)?).map_err(of_folder)
}

/// A pack that was found whole.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackInfo {
    /// The architecture it was compiled for, such as `sm_90`.
    pub architecture: String,
    /// The version of NVRTC that compiled it.
    pub nvrtc: (i32, i32),
    /// Kernel files in it, one for each curve.
    pub kernels: usize,
}

/// Checks a pack as the engine does, with all of its kernels.
///
/// # Errors
/// [`Error::Kernels`] with the reason why this library does not use it, or not all of it.
pub fn check_pack(path: &Path) -> Result<PackInfo, Error> {
    check_units(Unit::all(), path).map_err(|problem| Error::Kernels(format!("{}: {problem}", path.display())))
}

fn check_units(units: impl Iterator<Item = Unit>, path: &Path) -> Result<PackInfo, String> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let pack = Pack::open(path)?.ok_or("there is no such file")?;
    let mut kernels = 0;
    for unit in units {
        pack.read(unit, name)?.ok_or_else(of_other_sources)?;
        kernels += 1;
    }
    Ok(PackInfo { architecture: name.to_owned(), nvrtc: pack.nvrtc, kernels })
}

/// The packs in a folder, by name. None where it cannot be read.
pub fn packs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut packs: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == pack::EXTENSION)).collect();
    packs.sort();
    packs
}

/// The folder of packs that the environment names, which an engine uses whose builder names none.
pub fn packs_folder() -> Option<PathBuf> {
    packs_of_environment()
}

/// Compiles every kernel for one architecture, and tells what each takes, by the report of the assembler. What is
/// compiled is kept in the folder `kept`, and taken from there by later calls of this and [`machine_code`], while
/// sources and NVRTC are the same.
///
/// # Errors
/// [`Error::Kernels`] when NVRTC is missing or cannot compile for the architecture, or the folder cannot be written;
/// [`Error::Threads`] when the system refuses the threads that compile.
pub fn usage(architecture: &str, kept: &Path) -> Result<Vec<KernelUsage>, Error> {
    let (nvrtc, kept) = (Nvrtc::find().map_err(Error::Kernels)?, Cache::at(kept));
    let usage = |unit: &Unit| {
        let (_, report) = kept.with_report(*unit, architecture, nvrtc).map_err(Error::Kernels)?;
        Ok(parse_report(*unit, &report))
    };
    Ok(each(Unit::all(), usage)?.into_iter().flatten().collect())
}

/// Returns the results of `compute` for several units, on all cores. After the first error no more
/// are started, since all of them take minutes.
fn each<T: Send>(
    units: impl Iterator<Item = Unit>,
    compute: impl Fn(&Unit) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let mut results: Vec<(Unit, Option<T>)> = units.map(|unit| (unit, None)).collect();
    let first_error = OnceLock::new();
    Pool::new(None)?.for_each(results.iter_mut().collect(), |(unit, result)| {
        if first_error.get().is_none() {
            // Another thread's error may have come first: one is enough.
            *result = compute(unit).map_err(|error| first_error.set(error)).ok();
        }
    });
    match first_error.into_inner() {
        Some(error) => Err(error),
        None => Ok(results.into_iter().map(|(_, result)| result.expect("every unit was computed")).collect()),
    }
}

/// Compiles some kernel files for one architecture and every curve, to what the GPU engine runs. It is kept as by
/// [`usage`].
///
/// # Errors
/// As for [`usage`].
pub fn machine_code(architecture: &str, files: &[&str], kept: &Path) -> Result<Vec<MachineCode>, Error> {
    let (nvrtc, kept) = (Nvrtc::find().map_err(Error::Kernels)?, Cache::at(kept));
    let compile = |unit: &Unit| {
        let (cubin, _) = kept.with_report(*unit, architecture, nvrtc).map_err(Error::Kernels)?;
        let Unit { file, curve } = *unit;
        Ok(MachineCode { file, curve, cubin })
    };
    each(Unit::all().filter(|unit| files.contains(&unit.file)), compile)
}

/// The folder where compiled kernels are kept; `None` where the environment names none.
pub fn cache_folder() -> Option<PathBuf> {
    Cache::of_user().folder().map(Path::to_owned)
}

/// The version of NVRTC.
///
/// # Errors
/// [`Error::Kernels`] with the reason why it cannot be used.
pub fn nvrtc_version() -> Result<(i32, i32), Error> {
    Nvrtc::find().map(|nvrtc| nvrtc.version).map_err(Error::Kernels)
}

/// The lines of the assembler's report that matter: which function, its spills, and a kernel's registers.
pub(crate) fn parse_report(unit: Unit, report: &str) -> Vec<KernelUsage> {
    let mut all: Vec<KernelUsage> = Vec::new();
    for line in report.lines() {
        let number_before = |unit: &str| {
            let words: Vec<&str> = line[..line.find(unit)?].split_whitespace().collect();
            words.last()?.parse::<u32>().ok()
        };
        if let Some((_, function)) = line.split_once("Function properties for ") {
            let (Unit { file, curve }, kernel) = (unit, function.trim().to_owned());
            all.push(KernelUsage { file, curve, kernel, registers: 0, spill_stores: 0, spill_loads: 0 });
        }
        let Some(last) = all.last_mut() else { continue };
        if let (Some(stores), Some(loads)) = (number_before("bytes spill stores"), number_before("bytes spill loads")) {
            (last.spill_stores, last.spill_loads) = (stores, loads);
        }
        if let Some(registers) = number_before("registers") {
            last.registers = registers;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some units that are compiled in no time.
    fn quick() -> impl Iterator<Item = Unit> {
        ["rows", "address", "layout"].into_iter().map(|file| Unit::of(file, "secp256k1"))
    }

    #[test]
    #[cfg_attr(gecc_tests_without_nvrtc, ignore = "needs NVRTC; GECC_REQUIRE_NVRTC=1 where this is built makes it run")]
    fn packs_have_what_nvrtc_compiles() {
        let folder = std::env::temp_dir().join(format!("gecc-packs-{}", std::process::id()));
        let path = pack_units(quick(), "sm_90", &folder).unwrap();
        let kept = folder.join("kept");
        assert_eq!(packs_in(&folder), std::slice::from_ref(&path));
        let nvrtc = nvrtc_version().unwrap();
        let expected = PackInfo { architecture: "sm_90".to_owned(), nvrtc, kernels: quick().count() };
        assert_eq!(check_units(quick(), &path), Ok(expected));
        let (opened, mut bytes) = (Pack::open(&path).unwrap().unwrap(), 0);
        // The second time they are not compiled, but read.
        let [codes, again] = [(); 2].map(|()| machine_code("sm_90", &["rows", "address", "layout"], &kept).unwrap());
        assert_eq!(codes, again);
        // Those were compiled with a report, which their notes say.
        for unit in quick() {
            let cubin = Nvrtc::find().unwrap().compile(unit, "sm_90").unwrap();
            assert!(opened.read(unit, "sm_90").unwrap().as_ref() == Some(&cubin), "{unit:?}");
            assert!(codes.iter().any(|code| (code.file, code.curve) == (unit.file, unit.curve)), "{unit:?}");
            bytes += cubin.len();
        }
        let size = std::fs::metadata(&path).unwrap().len() as usize;
        assert!(size < bytes / 2, "{size} of {bytes} bytes");
        // All kernels of operations are more than these, and another name is another architecture.
        assert!(check_pack(&path).unwrap_err().to_string().contains("another version"));
        let renamed = folder.join("sm_80.gecckernels");
        std::fs::rename(&path, &renamed).unwrap();
        assert!(check_units(quick(), &renamed).unwrap_err().contains("another version"));
        assert!(check_units(quick(), &path).unwrap_err().contains("no such file"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn reports_are_understood() {
        let report = "\
ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'gecc_one' for 'sm_90'
ptxas info    : Function properties for gecc_one
    24 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 74 registers, used 1 barriers, 16384 bytes smem
ptxas info    : Function properties for shared_function
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let parsed = parse_report(Unit { file: "normalize", curve: "sm2" }, report);
        let numbers: Vec<_> =
            parsed.iter().map(|u| (u.kernel.as_str(), u.registers, u.spill_stores, u.spill_loads)).collect();
        assert_eq!(numbers, [("gecc_one", 74, 4, 8), ("shared_function", 0, 0, 0)]);
    }
}
