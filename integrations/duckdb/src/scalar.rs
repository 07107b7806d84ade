//! DuckDB's interface for scalar functions: they are bound once per statement, then computed chunk
//! by chunk on DuckDB's threads.

use crate::api::{Handle, api};
use crate::vector::{LogicalType, Results, VARCHAR, Vector};
use std::ffi::{CStr, CString, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::Arc;

/// A scalar function. It also receives nulls.
pub trait ScalarFunction: Send + Sync + 'static {
    /// The data known when a statement is bound, shared by all threads that compute it.
    type Bound: Send + Sync;
    /// The data that one thread keeps while it computes a statement.
    type Local: Default;

    fn name(&self) -> String;

    /// Returns the types of the arguments, for each permitted number of arguments.
    fn overloads(&self) -> Vec<Vec<LogicalType>>;

    fn result(&self) -> LogicalType;

    /// # Errors
    /// A problem of the statement.
    fn bind(&self, call: &BoundCall) -> Result<Self::Bound, String>;

    /// Writes a result for each row.
    ///
    /// # Errors
    /// An error that ends the statement.
    fn compute(
        &self,
        bound: &Self::Bound,
        local: &mut Self::Local,
        arguments: &[Vector],
        results: &mut Results,
    ) -> Result<(), String>;
}

/// Registers a function with a database.
///
/// # Safety
/// The connection is one to a database that uses this API.
pub unsafe fn register<S: ScalarFunction>(connection: Handle, function: S) -> Result<(), String> {
    let api = api();
    let name = text(&function.name());
    let function = Arc::new(function);
    // SAFETY: the handles are those of objects created here, which are destroyed at the end. The
    // set copies the functions that are added.
    unsafe {
        let mut set = (api.create_scalar_function_set)(name.as_ptr());
        for arguments in function.overloads() {
            let mut handle = (api.create_scalar_function)();
            (api.scalar_function_set_name)(handle, name.as_ptr());
            arguments
                .iter()
                .for_each(|of| (api.scalar_function_add_parameter)(handle, of.handle));
            (api.scalar_function_set_return_type)(handle, function.result().handle);
            (api.scalar_function_set_special_handling)(handle);
            let extra = Box::into_raw(Box::new(Arc::clone(&function)));
            (api.scalar_function_set_extra_info)(handle, extra.cast(), destroy::<Arc<S>>);
            (api.scalar_function_set_bind)(handle, bind::<S>);
            (api.scalar_function_set_init)(handle, init::<S>);
            (api.scalar_function_set_function)(handle, compute::<S>);
            (api.add_scalar_function_to_set)(set, handle);
            (api.destroy_scalar_function)(&mut handle);
        }
        let state = (api.register_scalar_function_set)(connection, set);
        (api.destroy_scalar_function_set)(&mut set);
        if state == 0 {
            Ok(())
        } else {
            Err(format!(
                "the function `{}` cannot be registered",
                name.to_string_lossy()
            ))
        }
    }
}

/// Registers a setting that names a file, none by default.
///
/// # Safety
/// The handle is that of a connection.
pub unsafe fn register_file_setting(
    connection: Handle,
    name: &CStr,
    description: &CStr,
) -> Result<(), String> {
    // SAFETY: the objects are created here, and destroyed at the end.
    unsafe {
        let mut option = (api().create_config_option)();
        let mut empty = (api().create_varchar)(c"".as_ptr());
        (api().config_option_set_name)(option, name.as_ptr());
        (api().config_option_set_type)(option, LogicalType::simple(VARCHAR).handle);
        (api().config_option_set_default_value)(option, empty);
        (api().config_option_set_description)(option, description.as_ptr());
        let state = (api().register_config_option)(connection, option);
        (api().destroy_value)(&mut empty);
        (api().destroy_config_option)(&mut option);
        if state == 0 {
            Ok(())
        } else {
            Err(format!(
                "the setting `{}` cannot be registered",
                name.to_string_lossy()
            ))
        }
    }
}

/// A call in a statement that is being bound.
pub struct BoundCall {
    info: Handle,
    context: Handle,
}

impl BoundCall {
    pub fn arguments(&self) -> usize {
        // SAFETY: `info` belongs to a function that is being bound.
        unsafe { (api().scalar_function_bind_get_argument_count)(self.info) as usize }
    }

    /// Returns the type of an argument.
    pub fn type_of(&self, argument: usize) -> LogicalType {
        let expression = self.argument(argument);
        // SAFETY: the handle is that of an expression; the result is owned.
        unsafe { LogicalType::owned((api().expression_return_type)(expression.handle)) }
    }

    /// Returns the text of a constant argument; `None` if it is not constant, or null.
    pub fn constant(&self, argument: usize) -> Option<String> {
        let expression = self.argument(argument);
        let mut value = ptr::null_mut();
        // SAFETY: the expression belongs to this statement; error and value are owned, and
        // destroyed.
        unsafe {
            if !(api().expression_is_foldable)(expression.handle) {
                return None;
            }
            let mut error = (api().expression_fold)(self.context, expression.handle, &mut value);
            let failed = (api().error_data_has_error)(error);
            (api().destroy_error_data)(&mut error);
            if failed { None } else { self.text(value) }
        }
    }

    /// Returns the text of a setting; `None` if it is not set, or empty.
    pub fn setting(&self, name: &CStr) -> Option<String> {
        // SAFETY: the context is that of the statement; the value is owned.
        let value = unsafe {
            (api().client_context_get_config_option)(self.context, name.as_ptr(), ptr::null_mut())
        };
        self.text(value).filter(|text| !text.is_empty())
    }

    /// Returns the text of a value, and destroys the value.
    fn text(&self, mut value: Handle) -> Option<String> {
        if value.is_null() {
            return None;
        }
        // SAFETY: the value is owned; its text is copied before both are freed.
        unsafe {
            let text = if (api().is_null_value)(value) {
                ptr::null_mut()
            } else {
                (api().get_varchar)(value)
            };
            (api().destroy_value)(&mut value);
            if text.is_null() {
                return None;
            }
            let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
            (api().free)(text.cast());
            Some(copy)
        }
    }

    fn argument(&self, argument: usize) -> Expression {
        // SAFETY: `info` belongs to a function that is being bound; the argument exists, and the
        // result is owned.
        let handle =
            unsafe { (api().scalar_function_bind_get_argument)(self.info, argument as u64) };
        Expression { handle }
    }
}

struct Expression {
    handle: Handle,
}

impl Drop for Expression {
    fn drop(&mut self) {
        // SAFETY: the handle is owned, and not used any more.
        unsafe { (api().destroy_expression)(&mut self.handle) }
    }
}

/// Returns a C string of the text before the first zero byte.
pub fn text(text: &str) -> CString {
    let text: Vec<u8> = text.bytes().take_while(|byte| *byte != 0).collect();
    CString::new(text).expect("no zero is left")
}

/// Catches panics, because nothing may unwind into DuckDB.
fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("gecc has failed".to_owned()))
}

unsafe extern "C" fn destroy<T>(object: *mut c_void) {
    // SAFETY: created by `Box::into_raw` with this type, and destroyed once.
    drop(unsafe { Box::from_raw(object.cast::<T>()) });
}

/// Returns another reference to the data of a bound call.
unsafe extern "C" fn share<T>(bound: *mut c_void) -> *mut c_void {
    // SAFETY: the pointer is that of a box of this type.
    let bound = unsafe { &*bound.cast::<Arc<T>>() };
    Box::into_raw(Box::new(Arc::clone(bound))).cast()
}

/// Prefixes an error with the function's name.
fn named<S: ScalarFunction>(function: &S, problem: &str) -> CString {
    text(&format!("{}: {problem}", function.name()))
}

unsafe extern "C" fn bind<S: ScalarFunction>(info: Handle) {
    // SAFETY: called as `duckdb.h` specifies; the extra info is the one set on registration. The
    // context is owned, and destroyed.
    unsafe {
        let api = api();
        let function = &*(api.scalar_function_bind_get_extra_info)(info).cast::<Arc<S>>();
        let mut context = ptr::null_mut();
        (api.scalar_function_get_client_context)(info, &mut context);
        match caught(|| function.bind(&BoundCall { info, context })) {
            Ok(bound) => {
                let bound = Box::into_raw(Box::new(Arc::new(bound)));
                (api.scalar_function_set_bind_data)(info, bound.cast(), destroy::<Arc<S::Bound>>);
                (api.scalar_function_set_bind_data_copy)(info, share::<S::Bound>);
            }
            Err(problem) => {
                (api.scalar_function_bind_set_error)(info, named(&**function, &problem).as_ptr())
            }
        }
        (api.destroy_client_context)(&mut context);
    }
}

unsafe extern "C" fn init<S: ScalarFunction>(info: Handle) {
    let local = Box::into_raw(Box::new(S::Local::default()));
    // SAFETY: called as `duckdb.h` specifies.
    unsafe { (api().scalar_function_init_set_state)(info, local.cast(), destroy::<S::Local>) };
}

unsafe extern "C" fn compute<S: ScalarFunction>(info: Handle, chunk: Handle, results: Handle) {
    // SAFETY: called as `duckdb.h` specifies, with the data that the functions above have set. A
    // state belongs to one thread. The result has room for the chunk's number of rows.
    unsafe {
        let api = api();
        let function = &*(api.scalar_function_get_extra_info)(info).cast::<Arc<S>>();
        let bound = &*(api.scalar_function_get_bind_data)(info).cast::<Arc<S::Bound>>();
        let local = &mut *(api.scalar_function_get_state)(info).cast::<S::Local>();
        let rows = (api.data_chunk_get_size)(chunk) as usize;
        let count = (api.data_chunk_get_column_count)(chunk);
        let vectors = (0..count).map(|argument| (api.data_chunk_get_vector)(chunk, argument));
        let arguments: Vec<Vector> = vectors.map(|vector| Vector::new(vector, rows)).collect();
        let mut results = Results::new(results, rows);
        if let Err(problem) = caught(|| function.compute(bound, local, &arguments, &mut results)) {
            (api.scalar_function_set_error)(info, named(&**function, &problem).as_ptr());
        }
    }
}
