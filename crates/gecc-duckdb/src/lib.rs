//! gecc as an extension of DuckDB: SQL functions over columns of signatures, and silent payments. The README beside
//! this has the list of functions; `footer` makes of the library what DuckDB loads.

mod api;
mod engine;
mod scalar;
mod signatures;
mod silent;
mod vector;

use api::{Access, Handle, api};
use std::ptr;

/// DuckDB calls this when it loads the file `gecc.duckdb_extension`: its name has the file's in it.
///
/// # Safety
/// The arguments are those that `duckdb_extension.h` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gecc_init_c_api(info: Handle, access: *const Access) -> bool {
    // SAFETY: as `duckdb_extension.h` says: the struct of functions is that of the version asked for, or null.
    unsafe {
        let access = &*access;
        let functions = (access.get_api)(info, api::VERSION.as_ptr());
        if functions.is_null() {
            // DuckDB knows why.
            return false;
        }
        match api::set(functions).and_then(|()| with_connection(*(access.get_database)(info), register)) {
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
unsafe fn with_connection(database: Handle, work: unsafe fn(Handle) -> Result<(), String>) -> Result<(), String> {
    let mut connection = ptr::null_mut();
    // SAFETY: a database by the caller; the connection is given back.
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
    // SAFETY: by the caller.
    unsafe {
        for function in signatures::OfSignatures::all() {
            scalar::register(connection, function)?;
        }
        silent::register(connection)
    }
}
