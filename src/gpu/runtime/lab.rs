//! Measurements of a GPU beyond the needs of the engine.

use super::device::Device;
use super::fault::Fault;
use super::sources::Unit;
use cudarc::driver::sys::{
    CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute, CUlimit,
    cuCtxResetPersistingL2Cache, cuFuncGetAttribute,
};
use cudarc::driver::{CudaFunction, DriverError};

/// The resources used by a thread of a kernel.
#[derive(Debug)]
pub struct Usage {
    pub registers: u32,
    pub local_bytes: u32,
    function: CudaFunction,
}

impl Usage {
    /// Returns the number of blocks of `threads` threads that a multiprocessor holds at a time.
    pub fn resident_blocks(&self, threads: u32) -> Result<u32, Fault> {
        Ok(self
            .function
            .occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?
            .max(1))
    }
}

/// The peak rates of the parts of a GPU.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Maximum clock rate of a multiprocessor, in Hz.
    pub clock: f64,
    /// Peak memory bandwidth in bytes per second.
    pub memory_bytes: f64,
}

impl Device {
    /// Returns the peak rates of the device.
    pub fn speed(&self) -> Result<Speed, Fault> {
        let memory_clock =
            1e3 * self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?;
        let bus_bytes =
            self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)? / 8.0;
        Ok(Speed {
            clock: 1e3 * self.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            // Two transfers per clock.
            memory_bytes: 2.0 * memory_clock * bus_bytes,
        })
    }

    fn attribute(&self, attribute: Attribute) -> Result<f64, DriverError> {
        self.context.attribute(attribute).map(f64::from)
    }

    /// Releases the part of the L2 cache that was set aside.
    pub fn release_l2(&self) -> Result<(), Fault> {
        self.context
            .set_limit(CUlimit::CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0)?;
        // SAFETY: the context is current on this thread since `set_limit`; the call only resets
        // which cache lines persist.
        Ok(unsafe { cuCtxResetPersistingL2Cache() }.result()?)
    }

    /// Returns the resource usage of a kernel.
    pub fn usage(&self, unit: Unit, name: &'static str) -> Result<Usage, Fault> {
        let function = self.function(unit, name)?;
        self.context.bind_to_thread()?;
        Ok(Usage {
            registers: function_attribute(
                &function,
                FunctionAttribute::CU_FUNC_ATTRIBUTE_NUM_REGS,
            )?,
            local_bytes: function_attribute(
                &function,
                FunctionAttribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES,
            )?,
            function,
        })
    }

    /// Returns the machine code of one of the library's units.
    pub fn machine_code(&self, unit: Unit) -> Result<Vec<u8>, Fault> {
        self.places
            .load(unit, &self.architecture)
            .map(|code| code.cubin)
            .map_err(Fault::kernels)
    }
}

fn function_attribute(
    function: &CudaFunction,
    attribute: FunctionAttribute,
) -> Result<u32, DriverError> {
    let mut value = 0;
    // SAFETY: the function is loaded, and the value is a writable integer.
    unsafe { cuFuncGetAttribute(&mut value, attribute, function.cu_function()) }.result()?;
    Ok(u32::try_from(value).unwrap_or(0))
}
