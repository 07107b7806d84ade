//! What measurements ask of a GPU beside what the engine does.

use crate::gpu::device::Device;
use crate::gpu::fault::Fault;
use crate::gpu::sources::Unit;
use cudarc::driver::sys::{
    CUfunction_attribute as FunctionAttribute, CUlimit, cuCtxResetPersistingL2Cache, cuFuncGetAttribute,
};
use cudarc::driver::{CudaFunction, DriverError};

/// What a thread of a kernel takes.
#[derive(Debug)]
pub struct Usage {
    pub registers: u32,
    pub local_bytes: u32,
    function: CudaFunction,
}

impl Usage {
    /// Blocks of so many threads that a multiprocessor holds at a time.
    pub fn resident_blocks(&self, threads: u32) -> Result<u32, Fault> {
        Ok(self.function.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?.max(1))
    }
}

impl Device {
    /// Gives the part of the L2 cache that was set aside back to everything else.
    pub fn release_l2(&self) -> Result<(), Fault> {
        self.context.set_limit(CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)?;
        // SAFETY: the context is current on this thread since `set_limit`; the call only changes which lines may stay.
        Ok(unsafe { cuCtxResetPersistingL2Cache() }.result()?)
    }

    /// What a kernel takes.
    pub fn usage(&self, unit: Unit, name: &'static str) -> Result<Usage, Fault> {
        let function = self.function(unit, name)?;
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: the function is loaded, and the value is a writable integer.
            unsafe { cuFuncGetAttribute(&mut value, which, function.cu_function()) }.result()?;
            Ok::<_, DriverError>(u32::try_from(value).unwrap_or(0))
        };
        self.context.bind_to_thread()?;
        Ok(Usage {
            registers: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(FunctionAttribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            function,
        })
    }

    /// The machine code of a unit.
    pub fn machine_code(&self, unit: Unit) -> Result<Vec<u8>, Fault> {
        self.cache.load(unit, &self.architecture).map(|(cubin, _)| cubin).map_err(Fault::kernels)
    }
}
