//! gecc as a DuckDB extension: SQL functions over columns of signatures, masks for private set
//! intersection, and silent payments. The README in this folder lists the functions; `footer`
//! converts the library to the file that DuckDB loads.

mod api;
mod engine;
mod mask_key;
mod scalar;
mod signatures;
mod silent;
mod vector;

use api::{Access, Handle, api};
use std::ptr;

/// Entry point: DuckDB calls this when it loads the file `gecc.duckdb_extension`, whose name is
/// part of the function's name.
///
/// # Safety
/// The arguments are as `duckdb_extension.h` requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_init_c_api(info: Handle, access: *const Access) -> bool {
    // SAFETY: as `duckdb_extension.h` specifies, the struct of functions is that of the requested
    // version, or null.
    unsafe {
        let access = &*access;
        let functions = (access.get_api)(info, api::VERSION.as_ptr());
        if functions.is_null() {
            // DuckDB knows the reason.
            return false;
        }
        match api::set(functions)
            .and_then(|()| with_connection(*(access.get_database)(info), register))
        {
            Ok(()) => true,
            Err(problem) => {
                (access.set_error)(info, scalar::text(&format!("gecc: {problem}")).as_ptr());
                false
            }
        }
    }
}

/// # Safety
/// The handle is that of a database.
unsafe fn with_connection(
    database: Handle,
    work: unsafe fn(Handle) -> Result<(), String>,
) -> Result<(), String> {
    let mut connection = ptr::null_mut();
    // SAFETY: the caller guarantees that it is a database; the connection is closed.
    unsafe {
        if (api().connect)(database, &mut connection) != 0 {
            return Err("there is no connection to the database".to_owned());
        }
        let done = work(connection);
        (api().disconnect)(&mut connection);
        done
    }
}

/// # Safety
/// The handle is that of a connection.
unsafe fn register(connection: Handle) -> Result<(), String> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        scalar::register_file_setting(connection, mask_key::KEY_FILE, mask_key::DESCRIPTION)?;
        for function in signatures::SignatureFunction::all() {
            scalar::register(connection, function)?;
        }
        silent::register(connection)
    }
}
