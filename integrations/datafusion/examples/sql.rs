//! SQL over a Parquet file of signatures.
//!
//! `cargo run --release --example sql [FILE [STATEMENT]]`: the file is the table `signed`. Without
//! arguments, it counts the rejected signatures, by reason, among real signatures of four curves.

use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use gecc::Engine;
use std::error::Error;
use std::thread::available_parallelism;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../crates/gecc-arrow/tests/data/signatures.parquet"
);

/// Each row is verified with the function of its curve. The verdict is `reason IS NULL`.
const STATEMENT: &str = "
    SELECT tag, reason, count(*) AS items FROM (
        SELECT tag, CASE tag
            WHEN 'secp256k1' THEN ecdsa_verify_reason('secp256k1', digest, signature, public_key)
            WHEN 'p256' THEN ecdsa_verify_reason('p256', digest, signature, public_key)
            WHEN 'brainpoolp256r1' THEN ecdsa_verify_reason('brainpoolp256r1', digest, signature, public_key)
            WHEN 'sm2' THEN sm2_verify_reason(digest, signature, public_key)
        END AS reason FROM signed
    ) GROUP BY tag, reason ORDER BY tag, items DESC, reason";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_else(|| FILE.to_owned());
    let statement = arguments.next().unwrap_or_else(|| STATEMENT.to_owned());

    // More partitions than cores: some are read while others wait for their answers.
    let partitions = 4 * available_parallelism()?.get();
    let context =
        SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    gecc_datafusion::register(&context, &Engine::new()?)?;

    context
        .register_parquet("signed", file, ParquetReadOptions::default())
        .await?;
    context.sql(&statement).await?.show().await?;
    Ok(())
}
