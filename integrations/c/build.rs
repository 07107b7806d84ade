//! Sets the SONAME of the shared library. Before version 1 every minor version may change the
//! interface.

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let [os, major, minor] = [
        "CARGO_CFG_TARGET_OS",
        "CARGO_PKG_VERSION_MAJOR",
        "CARGO_PKG_VERSION_MINOR",
    ]
    .map(|name| var(name).unwrap());
    if os == "linux" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libgecc.so.{major}.{minor}");
    }
}
