//! Sources of a kernel file's machine code: packs, the cache, or NVRTC.

use super::architecture::earlier_compatible;
use super::kernel_cache::{self, Cache};
use super::nvrtc::Nvrtc;
use super::pack::{self, Pack};
use super::sources::Unit;
use crate::gpu::interface::KernelOrigin;
use crate::host::lock;
use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

/// Environment variable with the folder of packs, used if the program does not configure one. An
/// empty value means no folder.
const PACKS_VARIABLE: &str = "GECC_KERNELS";

/// The machine code of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundCode {
    pub cubin: Vec<u8>,
    pub origin: KernelOrigin,
    /// The architecture it was compiled for: the GPU's own, or one whose code runs there too.
    pub architecture: String,
}

/// The places where machine code is searched.
#[derive(Clone, Debug)]
pub struct CodePlaces {
    packs: Option<PathBuf>,
    cache: Cache,
}

impl CodePlaces {
    /// Creates the search places: the given folder of packs, or else that of `GECC_KERNELS`, and
    /// the user's cache.
    pub fn new(packs: Option<PathBuf>) -> Self {
        CodePlaces {
            packs: packs.or_else(packs_of_environment),
            cache: Cache::of_user(),
        }
    }

    /// Returns the machine code of a unit. A pack for exactly this architecture comes first: it has
    /// the same sources, and NVRTC, a large library, does not have to be loaded. Code compiled for
    /// this GPU comes next, then a pack for an earlier compatible architecture, and last
    /// compilation, which takes seconds. Compiled code is stored in the cache.
    ///
    /// # Errors
    /// The reason why it was not found and cannot be compiled.
    pub fn load(&self, unit: Unit, architecture: &str) -> Result<FoundCode, String> {
        self.load_with(Nvrtc::find, unit, architecture)
    }

    /// Loads a unit without using packs.
    ///
    /// # Errors
    /// The errors of `load`.
    pub fn load_for_this_machine(
        &self,
        unit: Unit,
        architecture: &str,
    ) -> Result<FoundCode, String> {
        CodePlaces {
            packs: None,
            cache: self.cache.clone(),
        }
        .load(unit, architecture)
    }

    fn load_with(
        &self,
        find_nvrtc: impl FnOnce() -> Result<Nvrtc, String>,
        unit: Unit,
        architecture: &str,
    ) -> Result<FoundCode, String> {
        let mut problems = Vec::new();
        if let Some(code) = self.in_pack(unit, architecture, &mut problems) {
            return Ok(code);
        }
        let nvrtc = find_nvrtc();
        if let Some(cubin) = self.cache.read(unit, architecture, nvrtc.as_ref().ok()) {
            return Ok(FoundCode {
                cubin,
                origin: KernelOrigin::Cache,
                architecture: architecture.to_owned(),
            });
        }
        let mut earlier = earlier_compatible(architecture).into_iter();
        if let Some(code) = earlier.find_map(|earlier| self.in_pack(unit, &earlier, &mut problems))
        {
            return Ok(code);
        }
        let nvrtc = nvrtc.map_err(|problem| without_nvrtc(&problem, &problems))?;
        // GPUs of the same kind start at the same time: one compiles, and the others find the
        // result in the cache.
        let compiling = compiling(unit, architecture);
        let _alone = lock(&compiling);
        if let Some(cubin) = self.cache.read(unit, architecture, Some(&nvrtc)) {
            return Ok(FoundCode {
                cubin,
                origin: KernelOrigin::Cache,
                architecture: architecture.to_owned(),
            });
        }
        let cubin = nvrtc.compile(unit, architecture)?;
        // An unwritable cache is ignored: the next process compiles again, which only costs time.
        let _ = self.cache.write(unit, architecture, nvrtc, &cubin);
        Ok(FoundCode {
            cubin,
            origin: KernelOrigin::Compiled,
            architecture: architecture.to_owned(),
        })
    }

    /// Looks up a unit in the pack of an architecture. A pack that exists but cannot be used is a
    /// problem that matters only if no other source has the unit.
    fn in_pack(
        &self,
        unit: Unit,
        architecture: &str,
        problems: &mut Vec<String>,
    ) -> Option<FoundCode> {
        let path = pack::path(self.packs.as_deref()?, architecture);
        let found = in_file(&path, unit, architecture).unwrap_or_else(|problem| {
            problems.push(format!("{}: {problem}", path.display()));
            None
        });
        found.map(|cubin| FoundCode {
            cubin,
            origin: KernelOrigin::Pack,
            architecture: architecture.to_owned(),
        })
    }
}

/// Returns the lock that is held while a unit is compiled for an architecture.
fn compiling(unit: Unit, architecture: &str) -> Arc<Mutex<()>> {
    static COMPILING: LazyLock<Mutex<HashMap<(Unit, String), Arc<Mutex<()>>>>> =
        LazyLock::new(Mutex::default);
    lock(&COMPILING)
        .entry((unit, architecture.to_owned()))
        .or_default()
        .clone()
}

/// Looks up a unit in a pack file. Returns `None` if the file does not exist.
fn in_file(path: &Path, unit: Unit, architecture: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(pack) = Pack::open(path)? else {
        return Ok(None);
    };
    pack.read(unit, architecture)?
        .map(Some)
        .ok_or_else(of_other_sources)
}

/// Returns the message for a pack that lacks a kernel.
pub fn of_other_sources() -> String {
    "it has the kernels of another version of gecc".to_owned()
}

fn without_nvrtc(problem: &str, of_packs: &[String]) -> String {
    let of_packs: String = of_packs
        .iter()
        .map(|problem| format!(" Not used: {problem}."))
        .collect();
    format!(
        "{problem}. It compiles the kernels: install it and name its folder in GECC_NVRTC_DIR, or name a folder in \
         {PACKS_VARIABLE} that `gecc kernels pack` has filled elsewhere, or one in {} that `gecc kernels build` has \
         filled.{of_packs}",
        kernel_cache::FOLDER_VARIABLE
    )
}

/// Returns the folder configured in `GECC_KERNELS`.
pub fn packs_of_environment() -> Option<PathBuf> {
    env::var_os(PACKS_VARIABLE)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::super::kernel_cache::file_name;
    use super::super::kernel_files::stem;
    use super::super::kernel_files::tests::Folder;
    use super::super::pack::Packed;
    use super::*;
    use std::fs;

    const UNIT: Unit = Unit {
        file: "layout",
        curve: "p256",
    };
    const NVRTC: Nvrtc = Nvrtc { version: (13, 0) };

    /// Creates packs and a cache in a folder of the test.
    fn places(folder: &Folder) -> CodePlaces {
        CodePlaces {
            packs: Some(folder.0.join("packs")),
            cache: Cache::at(&folder.0.join("cache")),
        }
    }

    fn write_pack(places: &CodePlaces, architecture: &str, code: &[u8]) -> PathBuf {
        let kernel = Packed::new(UNIT, architecture, code).unwrap();
        pack::write(
            places.packs.as_deref().unwrap(),
            architecture,
            NVRTC,
            &[kernel],
        )
        .unwrap()
    }

    fn found(code: &[u8], origin: KernelOrigin, architecture: &str) -> Result<FoundCode, String> {
        Ok(FoundCode {
            cubin: code.to_vec(),
            origin,
            architecture: architecture.to_owned(),
        })
    }

    fn no_nvrtc() -> Result<Nvrtc, String> {
        Err("there is no NVRTC here".to_owned())
    }

    fn load_without_nvrtc(places: &CodePlaces, architecture: &str) -> Result<FoundCode, String> {
        places.load_with(no_nvrtc, UNIT, architecture)
    }

    #[test]
    fn places_are_searched_in_order() {
        let folder = Folder::new("order");
        let places = places(&folder);
        assert!(load_without_nvrtc(&places, "sm_86").is_err());
        write_pack(&places, "sm_80", b"packed for 80");
        assert_eq!(
            load_without_nvrtc(&places, "sm_86"),
            found(b"packed for 80", KernelOrigin::Pack, "sm_80")
        );
        // Not used on a GPU of another major version.
        assert!(load_without_nvrtc(&places, "sm_90").is_err());
        // Code compiled for the GPU itself takes precedence.
        places.cache.write(UNIT, "sm_86", NVRTC, b"cached").unwrap();
        assert_eq!(
            load_without_nvrtc(&places, "sm_86"),
            found(b"cached", KernelOrigin::Cache, "sm_86")
        );
        assert_eq!(
            load_without_nvrtc(&places, "sm_89"),
            found(b"packed for 80", KernelOrigin::Pack, "sm_80")
        );
        // Code compiled by another version of NVRTC does not count as this one's.
        let with_newer = places.load_with(|| Ok(Nvrtc { version: (13, 9) }), UNIT, "sm_86");
        assert_eq!(
            with_newer,
            found(b"packed for 80", KernelOrigin::Pack, "sm_80")
        );
        // A pack for the GPU itself takes precedence, and NVRTC is not searched.
        write_pack(&places, "sm_86", b"packed for 86");
        let from_pack = places.load_with(|| unreachable!("the pack suffices"), UNIT, "sm_86");
        assert_eq!(
            from_pack,
            found(b"packed for 86", KernelOrigin::Pack, "sm_86")
        );
        assert_eq!(
            load_without_nvrtc(&places, "sm_89"),
            found(b"packed for 86", KernelOrigin::Pack, "sm_86")
        );
        // A damaged pack is skipped; the nearest usable one is taken.
        fs::write(
            places.packs.as_ref().unwrap().join("sm_86.gecckernels"),
            "damaged",
        )
        .unwrap();
        assert_eq!(
            load_without_nvrtc(&places, "sm_89"),
            found(b"packed for 80", KernelOrigin::Pack, "sm_80")
        );
    }

    #[test]
    fn error_names_unusable_packs_if_no_place_has_the_kernel() {
        let folder = Folder::new("told");
        let places = places(&folder);
        let problem = load_without_nvrtc(&places, "sm_89").unwrap_err();
        for part in [
            "there is no NVRTC here",
            "GECC_NVRTC_DIR",
            "GECC_KERNELS",
            "GECC_KERNEL_CACHE",
        ] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
        assert!(!problem.contains("Not used"));
        let path = write_pack(&places, "sm_89", b"code");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let problem = load_without_nvrtc(&places, "sm_89").unwrap_err();
        assert!(
            problem.contains("sm_89.gecckernels: the file is damaged"),
            "{problem}"
        );
        let kernel = Packed::new(
            Unit {
                file: "sign",
                ..UNIT
            },
            "sm_80",
            b"code",
        )
        .unwrap();
        pack::write(places.packs.as_deref().unwrap(), "sm_80", NVRTC, &[kernel]).unwrap();
        let problem = load_without_nvrtc(&places, "sm_89").unwrap_err();
        assert!(
            problem.contains("sm_80.gecckernels: it has the kernels of another version"),
            "{problem}"
        );
    }

    mod nvrtc_tests {
        use super::*;

        /// Returns a unit that is compiled quickly.
        fn quick() -> Unit {
            Unit::of("rows", "")
        }

        fn load(places: &CodePlaces) -> FoundCode {
            places.load(quick(), "sm_90").unwrap()
        }

        /// The first use of a kernel by the engine.
        #[test]
        #[ignore = "needs NVRTC: --ignored nvrtc_tests"]
        fn kernel_is_compiled_if_the_cache_has_no_intact_file() {
            let nvrtc = Nvrtc::find().expect("there is NVRTC");
            let folder = Folder::new("load");
            let places = places(&folder);
            let code = load(&places);
            assert_eq!(
                (code.origin, &*code.architecture),
                (KernelOrigin::Compiled, "sm_90")
            );
            let cached = FoundCode {
                origin: KernelOrigin::Cache,
                ..load(&places)
            };
            assert_eq!(load(&places), cached);
            assert_eq!(cached.cubin, code.cubin);
            let path = places
                .cache
                .folder()
                .unwrap()
                .join(file_name(&stem(quick(), "sm_90"), nvrtc));
            let whole = fs::read(&path).unwrap();
            // Truncated, empty and foreign files are replaced.
            for damage in [&whole[..whole.len() - 1], b"", b"something else"] {
                fs::write(&path, damage).unwrap();
                assert_eq!(load(&places), code);
                assert_eq!(fs::read(&path).unwrap(), whole);
            }
            // Several devices and processes may write the same file at once.
            let cache = &places.cache;
            let cubin = &code.cubin;
            std::thread::scope(|scope| {
                for _ in 0..6 {
                    scope.spawn(|| {
                        (0..50)
                            .for_each(|_| _ = cache.write(quick(), "sm_90", nvrtc, cubin).unwrap());
                    });
                    scope.spawn(|| {
                        for _ in 0..50 {
                            assert_eq!(cache.read(quick(), "sm_90", None).as_ref(), Some(cubin));
                        }
                    });
                }
            });
            assert_eq!(
                fs::read_dir(cache.folder().unwrap()).unwrap().count(),
                1,
                "nothing is left over"
            );
            // Devices that need the same unit at the same time compile it once.
            fs::remove_file(&path).unwrap();
            let at_once = std::thread::scope(|scope| {
                let threads = [(); 4].map(|()| scope.spawn(|| load(&places)));
                threads.map(|thread| thread.join().unwrap())
            });
            assert_eq!(
                at_once
                    .iter()
                    .filter(|code| code.origin == KernelOrigin::Compiled)
                    .count(),
                1
            );
            assert!(at_once.iter().all(|code| code.cubin == *cubin));
            // An unwritable cache does not affect the results.
            fs::remove_dir_all(cache.folder().unwrap()).unwrap();
            fs::write(cache.folder().unwrap(), "a file in the way").unwrap();
            assert_eq!(load(&places), code);
        }

        /// A pack that is damaged, or was compiled from other sources, leaves everything to NVRTC.
        #[test]
        #[ignore = "needs NVRTC: --ignored nvrtc_tests"]
        fn kernel_is_compiled_if_its_pack_cannot_be_used() {
            let folder = Folder::new("around");
            let places = places(&folder);
            let packs = places.packs.as_deref().unwrap();
            let other = [Packed::new(
                Unit {
                    file: "sign",
                    ..UNIT
                },
                "sm_90",
                b"code",
            )
            .unwrap()];
            let path = pack::write(packs, "sm_90", NVRTC, &other).unwrap();
            let compiled = load(&places);
            assert_eq!(compiled.origin, KernelOrigin::Compiled);
            let kernel = [Packed::new(quick(), "sm_90", &compiled.cubin).unwrap()];
            pack::write(packs, "sm_90", NVRTC, &kernel).unwrap();
            assert_eq!(
                load(&places),
                FoundCode {
                    origin: KernelOrigin::Pack,
                    ..compiled.clone()
                }
            );
            let mut damaged = fs::read(&path).unwrap();
            damaged[70] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(
                load(&places),
                FoundCode {
                    origin: KernelOrigin::Cache,
                    ..compiled
                }
            );
        }
    }
}
