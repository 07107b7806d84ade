//! Sessions with the functions, and results of statements.

use crate::items::engine;
use arrow_array::{Array, RecordBatch};
use arrow_schema::ArrowError;
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::common::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use gecc_datafusion::Functions;
use std::sync::OnceLock;
use tokio::runtime::{Builder, Runtime};

/// One coalescer for all tests that do not inspect it.
pub fn functions() -> &'static Functions {
    static FUNCTIONS: OnceLock<Functions> = OnceLock::new();
    FUNCTIONS.get_or_init(|| Functions::new(engine()).expect("a coalescer"))
}

pub fn session(functions: &Functions, partitions: usize, batch: usize) -> SessionContext {
    let config = SessionConfig::new()
        .with_target_partitions(partitions)
        .with_batch_size(batch);
    let context = SessionContext::new_with_config(config);
    functions.register(&context);
    context
}

/// Creates a session with a table `t`.
pub fn with_table(columns: RecordBatch) -> SessionContext {
    let context = session(functions(), 2, 8192);
    context.register_batch("t", columns).unwrap();
    context
}

pub fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap()
}

pub async fn rows(context: &SessionContext, sql: &str) -> Result<RecordBatch> {
    let batches = context.sql(sql).await?.collect().await?;
    let schema = batches.first().expect("a batch").schema();
    Ok(concat_batches(&schema, &batches)?)
}

pub fn query(context: &SessionContext, sql: &str) -> RecordBatch {
    runtime()
        .block_on(rows(context, sql))
        .unwrap_or_else(|problem| panic!("{sql}: {problem}"))
}

/// Returns the error of planning a statement.
pub fn refusal(context: &SessionContext, sql: &str) -> String {
    runtime()
        .block_on(context.sql(sql))
        .expect_err(sql)
        .strip_backtrace()
}

/// Returns the values of a column, `None` for null.
pub fn texts(column: &dyn Array) -> Vec<Option<String>> {
    let values = || -> Result<Vec<Option<String>>, ArrowError> {
        let formatter = ArrayFormatter::try_new(column, &FormatOptions::new())?;
        let nulls = column.logical_nulls();
        let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        Ok((0..column.len())
            .map(|row| (!is_null(row)).then(|| formatter.value(row).to_string()))
            .collect())
    };
    values().expect("a column that can be shown")
}

/// Returns all values of the only row.
pub fn row(context: &SessionContext, sql: &str) -> Vec<Option<String>> {
    let found = query(context, sql);
    assert_eq!(found.num_rows(), 1, "{sql}");
    found
        .columns()
        .iter()
        .map(|column| texts(column).remove(0))
        .collect()
}
