//! Compiled kernels: ahead-of-time compilation, packs and the kernel cache.
//!
//! When the GPU engine first needs kernels, it looks for them in the following places. The last one
//! compiles them for the GPU, which takes some seconds:
//!
//! 1. a pack for the GPU's architecture, made with [`pack`], in the folder set with
//!    [`crate::EngineBuilder::kernels`], or else with the environment variable `GECC_KERNELS`;
//! 2. the cache: the folder set with `GECC_KERNEL_CACHE`, or else `gecc` in the user's cache
//!    folder. The engine stores compiled kernels there, and [`build`] fills such a folder in
//!    advance;
//! 3. a pack for an earlier architecture whose machine code also runs on the GPU, such as `sm_80`
//!    on `sm_86`;
//! 4. NVRTC, from the folder set with `GECC_NVRTC_DIR`, or else from the loader's search path.
//!
//! A file is used only if it is complete, was compiled from the sources of exactly this library,
//! belongs to the user or to root, and is writable by nobody else.

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

/// The architectures for which releases have packs. Their machine code runs on every GPU since
/// Ampere except those of Jetson boards.
pub const PACKED: &[&str] = &["sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"];

/// The hash of the sources and options of all operations' kernels, as 32 hexadecimal digits.
/// Libraries with the same hash use each other's packs.
pub fn sources_hash() -> String {
    kernel_files::sources_hash()
}

/// The resource usage of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelUsage {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve, or `none` if the file does not depend on one.
    pub curve: &'static str,
    /// The kernel's name, or the file's name for functions that several kernels call.
    pub kernel: String,
    /// Registers per thread; 0 for a function that is not a kernel.
    pub registers: u32,
    /// Bytes per thread written to local memory because registers do not suffice.
    pub spill_stores: u32,
    /// Bytes per thread read back from local memory.
    pub spill_loads: u32,
}

/// The machine code of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MachineCode {
    /// The kernel file, without its extension.
    pub file: &'static str,
    /// The curve, or `none` if the file does not depend on one.
    pub curve: &'static str,
    /// The kernels: an ELF file for the GPU.
    pub cubin: Vec<u8>,
}

/// Compiles every kernel for one architecture, such as `sm_90`, into a folder. Returns the files.
///
/// `report` is called with the name of each file when it is written, from several threads.
///
/// # Errors
/// [`Error::Kernels`] if NVRTC is missing or cannot compile for the architecture, or the folder
/// cannot be written; [`Error::Threads`] if the system refuses to start the compiling threads.
pub fn build(
    architecture: &str,
    folder: &Path,
    report: impl Fn(&Path) + Sync,
) -> Result<Vec<PathBuf>, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let cache = Cache::at(folder);
    // Compiling takes a minute, so errors of the folder are detected first.
    std::fs::create_dir_all(folder).map_err(|problem| folder_error(folder, problem))?;
    each(Unit::all(), |unit| {
        let path = cache
            .build(*unit, architecture, nvrtc)
            .map_err(Error::Kernels)?;
        report(&path);
        Ok(path)
    })
}

/// Compiles the kernels of all operations for one architecture, such as `sm_90`, into a pack, the
/// file `sm_90.gecckernels` of a folder, for [`crate::EngineBuilder::kernels`]. Returns the file.
///
/// This takes minutes of one core and needs no GPU. An existing pack is kept if it is complete and
/// was compiled by the same version of NVRTC. The pack works with libraries built from exactly the
/// same sources.
///
/// # Errors
/// The errors of [`build`].
pub fn pack(architecture: &str, folder: &Path) -> Result<PathBuf, Error> {
    let nvrtc = nvrtc_version()?;
    let path = pack::path(folder, architecture);
    if check_pack(&path).is_ok_and(|there| there.nvrtc == nvrtc) {
        return Ok(path);
    }
    pack_units(Unit::all(), architecture, folder)
}

fn pack_units(
    units: impl Iterator<Item = Unit>,
    architecture: &str,
    folder: &Path,
) -> Result<PathBuf, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    // Errors of the folder first, as in `build`.
    std::fs::create_dir_all(folder).map_err(|problem| folder_error(folder, problem))?;
    let packed = each(units, |unit| {
        let cubin = nvrtc.compile(*unit, architecture).map_err(Error::Kernels)?;
        Packed::new(*unit, architecture, &cubin).map_err(|problem| folder_error(folder, problem))
    })?;
    pack::write(folder, architecture, nvrtc, &packed)
        .map_err(|problem| folder_error(folder, problem))
}

fn folder_error(folder: &Path, problem: std::io::Error) -> Error {
    Error::Kernels(format!("{}: {problem}", folder.display()))
}

/// The description of a complete pack.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackInfo {
    /// The architecture it was compiled for, such as `sm_90`.
    pub architecture: String,
    /// The version of NVRTC that compiled it.
    pub nvrtc: (i32, i32),
    /// The number of kernel files in it, counted once per curve.
    pub kernels: usize,
}

/// Checks a pack and all of its kernels as the engine does before it uses them.
///
/// # Errors
/// [`Error::Kernels`] with the reason why this library cannot use the pack or some of its kernels.
pub fn check_pack(path: &Path) -> Result<PackInfo, Error> {
    check_units(Unit::all(), path)
        .map_err(|problem| Error::Kernels(format!("{}: {problem}", path.display())))
}

fn check_units(units: impl Iterator<Item = Unit>, path: &Path) -> Result<PackInfo, String> {
    let name = path
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let pack = Pack::open(path)?.ok_or("there is no such file")?;
    let mut kernels = 0;
    for unit in units {
        pack.read(unit, name)?.ok_or_else(of_other_sources)?;
        kernels += 1;
    }
    Ok(PackInfo {
        architecture: name.to_owned(),
        nvrtc: pack.nvrtc,
        kernels,
    })
}

/// Returns the packs in a folder, sorted by name; none if the folder cannot be read.
pub fn packs_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut packs: Vec<_> = paths
        .filter(|path| path.extension().is_some_and(|end| end == pack::EXTENSION))
        .collect();
    packs.sort();
    packs
}

/// Returns the folder of packs that is set in the environment. An engine uses it if its builder
/// sets none.
pub fn packs_folder() -> Option<PathBuf> {
    packs_of_environment()
}

/// Compiles every kernel for one architecture and returns the resource usage of each, as reported
/// by the assembler. Compiled kernels are stored in the folder `kept`. Later calls of this function
/// and of [`machine_code`] reuse them as long as the sources and NVRTC are unchanged.
///
/// # Errors
/// [`Error::Kernels`] if NVRTC is missing or cannot compile for the architecture, or the folder
/// cannot be written; [`Error::Threads`] if the system refuses to start the compiling threads.
pub fn usage(architecture: &str, kept: &Path) -> Result<Vec<KernelUsage>, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let kept = Cache::at(kept);
    let usages = each(Unit::all(), |unit| {
        let (_, report) = kept
            .with_report(*unit, architecture, nvrtc)
            .map_err(Error::Kernels)?;
        Ok(parse_report(*unit, &report))
    })?;
    Ok(usages.into_iter().flatten().collect())
}

/// Returns the results of `compute` for several units, computed on all cores. No units are started
/// after the first error, since all of them would take minutes.
fn each<T: Send>(
    units: impl Iterator<Item = Unit>,
    compute: impl Fn(&Unit) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let mut results: Vec<(Unit, Option<T>)> = units.map(|unit| (unit, None)).collect();
    let first_error = OnceLock::new();
    Pool::new(None)?.for_each(results.iter_mut().collect(), |(unit, result)| {
        if first_error.get().is_none() {
            // If another thread's error was stored first, this one is dropped: one is enough.
            *result = compute(unit).map_err(|error| first_error.set(error)).ok();
        }
    });
    match first_error.into_inner() {
        Some(error) => Err(error),
        None => Ok(results
            .into_iter()
            .map(|(_, result)| result.expect("every unit was computed"))
            .collect()),
    }
}

/// Compiles kernel files for one architecture and every curve, and returns their machine code as
/// the GPU engine runs it. It is stored in `kept` as in [`usage`].
///
/// # Errors
/// The errors of [`usage`].
pub fn machine_code(
    architecture: &str,
    files: &[&str],
    kept: &Path,
) -> Result<Vec<MachineCode>, Error> {
    let nvrtc = Nvrtc::find().map_err(Error::Kernels)?;
    let kept = Cache::at(kept);
    each(
        Unit::all().filter(|unit| files.contains(&unit.file)),
        |unit| {
            let (cubin, _) = kept
                .with_report(*unit, architecture, nvrtc)
                .map_err(Error::Kernels)?;
            let Unit { file, curve } = *unit;
            Ok(MachineCode { file, curve, cubin })
        },
    )
}

/// Returns the folder of the kernel cache, or `None` if the environment determines none.
pub fn cache_folder() -> Option<PathBuf> {
    Cache::of_user().folder().map(Path::to_owned)
}

/// Returns the version of NVRTC.
///
/// # Errors
/// [`Error::Kernels`] with the reason why NVRTC cannot be used.
pub fn nvrtc_version() -> Result<(i32, i32), Error> {
    Nvrtc::find()
        .map(|nvrtc| nvrtc.version)
        .map_err(Error::Kernels)
}

/// Parses the assembler's report: the names of functions, their spills, and the registers of
/// kernels.
pub(crate) fn parse_report(unit: Unit, report: &str) -> Vec<KernelUsage> {
    let mut all: Vec<KernelUsage> = Vec::new();
    for line in report.lines() {
        if let Some((_, function)) = line.split_once("Function properties for ") {
            let Unit { file, curve } = unit;
            let kernel = function.trim().to_owned();
            all.push(KernelUsage {
                file,
                curve,
                kernel,
                registers: 0,
                spill_stores: 0,
                spill_loads: 0,
            });
        }
        let Some(last) = all.last_mut() else { continue };
        if let Some(stores) = number_before(line, "bytes spill stores") {
            last.spill_stores = stores;
        }
        if let Some(loads) = number_before(line, "bytes spill loads") {
            last.spill_loads = loads;
        }
        if let Some(registers) = number_before(line, "registers") {
            last.registers = registers;
        }
    }
    all
}

/// Returns the number that precedes a unit in a line of the report.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let before = &line[..line.find(unit)?];
    before.split_whitespace().next_back()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assembler_report_is_parsed() {
        let report = "\
ptxas info    : 24 bytes gmem
ptxas info    : Compiling entry function 'gecc_one' for 'sm_90'
ptxas info    : Function properties for gecc_one
    24 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 74 registers, used 1 barriers, 16384 bytes smem
ptxas info    : Function properties for shared_function
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let parsed = parse_report(
            Unit {
                file: "normalize",
                curve: "sm2",
            },
            report,
        );
        let numbers: Vec<_> = parsed
            .iter()
            .map(|u| {
                (
                    u.kernel.as_str(),
                    u.registers,
                    u.spill_stores,
                    u.spill_loads,
                )
            })
            .collect();
        assert_eq!(
            numbers,
            [("gecc_one", 74, 4, 8), ("shared_function", 0, 0, 0)]
        );
    }

    mod nvrtc_tests {
        use super::*;

        /// A few units that compile quickly.
        fn quick() -> impl Iterator<Item = Unit> {
            ["rows", "address", "layout"]
                .into_iter()
                .map(|file| Unit::of(file, "secp256k1"))
        }

        #[test]
        #[ignore = "needs NVRTC: --ignored nvrtc_tests"]
        fn packs_contain_kernels_compiled_by_nvrtc() {
            let folder = std::env::temp_dir().join(format!("gecc-packs-{}", std::process::id()));
            let path = pack_units(quick(), "sm_90", &folder).unwrap();
            let kept = folder.join("kept");
            assert_eq!(packs_in(&folder), std::slice::from_ref(&path));
            let nvrtc = nvrtc_version().unwrap();
            let expected = PackInfo {
                architecture: "sm_90".to_owned(),
                nvrtc,
                kernels: quick().count(),
            };
            assert_eq!(check_units(quick(), &path), Ok(expected));
            let opened = Pack::open(&path).unwrap().unwrap();
            let mut bytes = 0;
            // The second call reads the stored files instead of compiling.
            let [codes, again] = [(); 2]
                .map(|()| machine_code("sm_90", &["rows", "address", "layout"], &kept).unwrap());
            assert_eq!(codes, again);
            // These were compiled with a report, as their trace spans show.
            for unit in quick() {
                let cubin = Nvrtc::find().unwrap().compile(unit, "sm_90").unwrap();
                assert!(
                    opened.read(unit, "sm_90").unwrap().as_ref() == Some(&cubin),
                    "{unit:?}"
                );
                assert!(
                    codes
                        .iter()
                        .any(|code| (code.file, code.curve) == (unit.file, unit.curve)),
                    "{unit:?}"
                );
                bytes += cubin.len();
            }
            let size = std::fs::metadata(&path).unwrap().len() as usize;
            assert!(size < bytes / 2, "{size} of {bytes} bytes");
            // The operations have more kernels than these, and a pack under another name is for
            // another architecture.
            assert!(
                check_pack(&path)
                    .unwrap_err()
                    .to_string()
                    .contains("another version")
            );
            let renamed = folder.join("sm_80.gecckernels");
            std::fs::rename(&path, &renamed).unwrap();
            assert!(
                check_units(quick(), &renamed)
                    .unwrap_err()
                    .contains("another version")
            );
            assert!(
                check_units(quick(), &path)
                    .unwrap_err()
                    .contains("no such file")
            );
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }
}
