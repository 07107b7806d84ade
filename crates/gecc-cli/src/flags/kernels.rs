//! Options of the ahead-of-time compilation of kernels.

use clap::{Args, Subcommand};
use std::path::PathBuf;

// A paragraph is one line: clap breaks it where the terminal ends.

const BUILD_HELP: &str = "\
Example, for an image that has the driver but not NVRTC:
  gecc kernels build --arch sm_80 --arch sm_90 --out /opt/gecc/kernels
  GECC_KERNEL_CACHE=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The folder must belong to root or to the user that runs gecc, and be writable by nobody else.";

const PACK_HELP: &str = "\
A pack has the kernels of all operations for one architecture, compressed. It is used where the environment variable GECC_KERNELS \
names its folder, and by this command also in `kernels` and `../lib/gecc/kernels` beside its own file. It serves GPUs of its own \
architecture and of later minor versions, sm_80 for instance also sm_86.

Example:
  gecc kernels pack --out /opt/gecc/kernels
  GECC_KERNELS=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The files must belong to root or to the user that runs gecc, and be writable by nobody else.";

#[derive(Subcommand)]
pub enum KernelsCommand {
    /// Compile every kernel into a folder, for machines without NVRTC.
    #[command(after_help = BUILD_HELP)]
    Build(BuildOptions),
    /// Compile the kernels of all operations into a file for each architecture, to be delivered with gecc.
    #[command(after_help = PACK_HELP)]
    Pack(PackOptions),
}

#[derive(Args)]
pub struct BuildOptions {
    /// The architecture, such as sm_90; may be given several times.
    #[arg(long, required = true, value_delimiter = ',')]
    pub arch: Vec<String>,
    /// The folder; it is made if it is not there.
    #[arg(long)]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct PackOptions {
    /// The architectures, such as sm_80,sm_90.
    #[arg(long, value_delimiter = ',', default_values_t = gecc::kernels::PACKED.iter().map(ToString::to_string))]
    pub arch: Vec<String>,
    /// The folder; it is made if it is not there.
    #[arg(long)]
    pub out: PathBuf,
}
