//! Kernels ahead of time.

use clap::{Args, Subcommand};
use std::path::PathBuf;

const KERNELS_HELP: &str = "\
Example, for an image that has the driver but not NVRTC:
  gecc kernels build --arch sm_80 --arch sm_90 --out /opt/gecc/kernels
  GECC_KERNEL_CACHE=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The folder must belong to root or to the user that runs gecc, and be writable by nobody else.";

#[derive(Subcommand)]
pub enum KernelsCommand {
    /// Compile every kernel into a folder, for machines without NVRTC.
    #[command(after_help = KERNELS_HELP)]
    Build(KernelsOptions),
}

#[derive(Args)]
pub struct KernelsOptions {
    /// The architecture, such as sm_90; may be given several times.
    #[arg(long, required = true)]
    pub arch: Vec<String>,
    /// The folder; it is made if it is not there.
    #[arg(long)]
    pub out: PathBuf,
}
