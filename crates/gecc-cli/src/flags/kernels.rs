//! Options of the ahead-of-time compilation of kernels.

use clap::{Args, Subcommand};
use std::path::PathBuf;

// A paragraph is one line: clap breaks it where the terminal ends.

const BUILD_HELP: &str = "\
Example, for an image that has the driver but not NVRTC:
  gecc kernels build --arch sm_80 --arch sm_90 --out /opt/gecc/kernels
  GECC_KERNEL_CACHE=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The folder must belong to root or to the user that runs gecc, and must not be writable by others.";

const PACK_HELP: &str = "\
A pack contains the kernels of all operations for one architecture, compressed. It is used if \
the environment variable GECC_KERNELS names its folder; this command also uses packs in \
`kernels` and `../lib/gecc/kernels` relative to its own folder. A pack runs on GPUs of its own \
architecture and of later minor versions: one for sm_80 also on sm_86.

Example:
  gecc kernels pack --out /opt/gecc/kernels
  GECC_KERNELS=/opt/gecc/kernels gecc verify --curve secp256k1 signatures.jsonl

The files must belong to root or to the user that runs gecc, and must not be writable by others.";

#[derive(Subcommand)]
pub enum KernelsCommand {
    /// Compile every kernel into a folder, for machines without NVRTC.
    #[command(after_help = BUILD_HELP)]
    Build(BuildOptions),
    /// Compile the kernels of all operations into one file per architecture, to be installed with
    /// gecc.
    #[command(after_help = PACK_HELP)]
    Pack(PackOptions),
}

#[derive(Args)]
pub struct BuildOptions {
    /// The architecture, such as sm_90; may be given several times.
    #[arg(long, required = true, value_delimiter = ',')]
    pub arch: Vec<String>,
    /// The folder, which is created if necessary.
    #[arg(long)]
    pub out: PathBuf,
}

#[derive(Args)]
pub struct PackOptions {
    /// The architectures, such as sm_80,sm_90.
    #[arg(long, value_delimiter = ',', default_values_t = gecc::kernels::PACKED.iter().map(ToString::to_string))]
    pub arch: Vec<String>,
    /// The folder, which is created if necessary.
    #[arg(long)]
    pub out: PathBuf,
}
