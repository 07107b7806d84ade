//! The functions of DuckDB's C API for extensions that are used here.
//!
//! DuckDB passes a struct of function pointers to an extension (`duckdb_ext_api_v1` in
//! `duckdb_extension.h`). Since version 1.2, versions may append to it. That of 1.5.6 is the last
//! with additions, and has all functions that are needed here: settings, and callbacks when a
//! statement is bound. So the extension works with DuckDB 1.5.6 and all later versions that have
//! this API.

use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

/// The requested version.
pub const VERSION: &CStr = c"v1.5.6";

/// A handle of a DuckDB object.
pub type Handle = *mut c_void;

/// A function that destroys the object at a pointer.
pub type Destroy = unsafe extern "C" fn(*mut c_void);

/// `duckdb_state`: 0 is success.
pub type State = i32;

/// `idx_t`.
pub type Index = u64;

/// `struct duckdb_extension_access`.
#[repr(C)]
pub struct Access {
    pub set_error: unsafe extern "C" fn(info: Handle, error: *const c_char),
    pub get_database: unsafe extern "C" fn(info: Handle) -> *mut Handle,
    pub get_api: unsafe extern "C" fn(info: Handle, version: *const c_char) -> *const Handle,
}

/// Declares a struct with some of the functions, each with its index in DuckDB's struct.
macro_rules! functions {
    ($($place:literal $name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions of DuckDB, with the names in `duckdb.h` without `duckdb_`.
        #[derive(Clone, Copy)]
        pub struct Api {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// # Safety
            /// It is DuckDB's struct of [`VERSION`].
            unsafe fn of(functions: *const Handle) -> Self {
                Api {
                    $(
                        // SAFETY: a function of this type is at this index.
                        $name: unsafe {
                            let place = functions.add($place).cast::<unsafe extern "C" fn($($argument),*) $(-> $result)?>();
                            *place
                        },
                    )*
                }
            }
        }
    };
}

functions! {
    3 connect(Handle, *mut Handle) -> State;
    6 disconnect(*mut Handle);
    25 free(*mut c_void);
    92 destroy_value(*mut Handle);
    93 create_varchar(*const c_char) -> Handle;
    142 get_varchar(Handle) -> *mut c_char;
    149 is_null_value(Handle) -> bool;
    156 create_logical_type(u32) -> Handle;
    159 create_list_type(Handle) -> Handle;
    163 create_struct_type(*const Handle, *const *const c_char, Index) -> Handle;
    166 get_type_id(Handle) -> u32;
    173 list_type_child_type(Handle) -> Handle;
    184 destroy_logical_type(*mut Handle);
    189 data_chunk_get_column_count(Handle) -> Index;
    190 data_chunk_get_vector(Handle, Index) -> Handle;
    191 data_chunk_get_size(Handle) -> Index;
    193 vector_get_column_type(Handle) -> Handle;
    194 vector_get_data(Handle) -> *mut c_void;
    195 vector_get_validity(Handle) -> *mut u64;
    196 vector_ensure_validity_writable(Handle);
    198 vector_assign_string_element_len(Handle, Index, *const c_char, Index);
    199 list_vector_get_child(Handle) -> Handle;
    200 list_vector_get_size(Handle) -> Index;
    201 list_vector_set_size(Handle, Index) -> State;
    202 list_vector_reserve(Handle, Index) -> State;
    203 struct_vector_get_child(Handle, Index) -> Handle;
    209 create_scalar_function() -> Handle;
    210 destroy_scalar_function(*mut Handle);
    211 scalar_function_set_name(Handle, *const c_char);
    213 scalar_function_set_special_handling(Handle);
    215 scalar_function_add_parameter(Handle, Handle);
    216 scalar_function_set_return_type(Handle, Handle);
    217 scalar_function_set_extra_info(Handle, *mut c_void, Destroy);
    218 scalar_function_set_function(Handle, unsafe extern "C" fn(Handle, Handle, Handle));
    220 scalar_function_get_extra_info(Handle) -> *mut c_void;
    221 scalar_function_set_error(Handle, *const c_char);
    222 create_scalar_function_set(*const c_char) -> Handle;
    223 destroy_scalar_function_set(*mut Handle);
    224 add_scalar_function_to_set(Handle, Handle) -> State;
    225 register_scalar_function_set(Handle, Handle) -> State;
    423 create_config_option() -> Handle;
    424 destroy_config_option(*mut Handle);
    425 config_option_set_name(Handle, *const c_char);
    426 config_option_set_type(Handle, Handle);
    427 config_option_set_default_value(Handle, Handle);
    429 config_option_set_description(Handle, *const c_char);
    430 register_config_option(Handle, Handle) -> State;
    431 client_context_get_config_option(Handle, *const c_char, *mut u32) -> Handle;
    469 destroy_error_data(*mut Handle);
    472 error_data_has_error(Handle) -> bool;
    473 destroy_expression(*mut Handle);
    474 expression_return_type(Handle) -> Handle;
    475 expression_is_foldable(Handle) -> bool;
    476 expression_fold(Handle, Handle, *mut Handle) -> Handle;
    501 destroy_client_context(*mut Handle);
    511 scalar_function_set_bind(Handle, unsafe extern "C" fn(Handle));
    512 scalar_function_bind_set_error(Handle, *const c_char);
    513 scalar_function_get_client_context(Handle, *mut Handle);
    514 scalar_function_set_bind_data(Handle, *mut c_void, Destroy);
    515 scalar_function_get_bind_data(Handle) -> *mut c_void;
    516 scalar_function_bind_get_extra_info(Handle) -> *mut c_void;
    517 scalar_function_bind_get_argument_count(Handle) -> Index;
    518 scalar_function_bind_get_argument(Handle, Index) -> Handle;
    519 scalar_function_set_bind_data_copy(Handle, unsafe extern "C" fn(*mut c_void) -> *mut c_void);
    520 scalar_function_get_state(Handle) -> *mut c_void;
    521 scalar_function_set_init(Handle, unsafe extern "C" fn(Handle));
    523 scalar_function_init_set_state(Handle, *mut c_void, Destroy);
}

static API: OnceLock<Api> = OnceLock::new();

/// Returns the functions of the DuckDB that loaded this extension.
pub fn api() -> &'static Api {
    API.get().expect("DuckDB has loaded the extension")
}

/// Initialises the functions from DuckDB's struct.
///
/// # Safety
/// It is the struct of [`VERSION`].
///
/// # Errors
/// Another DuckDB in this process has loaded the same file: its objects are not those of this one.
pub unsafe fn set(functions: *const Handle) -> Result<(), String> {
    // SAFETY: guaranteed by the caller.
    let functions = unsafe { Api::of(functions) };
    let known = API.get_or_init(|| functions);
    let is_same = known.connect as usize == functions.connect as usize;
    if is_same {
        Ok(())
    } else {
        Err("another DuckDB in this process has loaded this file".to_owned())
    }
}
