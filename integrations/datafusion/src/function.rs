//! Implementation of DataFusion's interface for functions.

use crate::arguments::Arguments;
use datafusion::arrow::array::{ArrayRef, BooleanArray};
use datafusion::arrow::buffer::BooleanBuffer;
use datafusion::arrow::compute::concat;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::error::GenericError;
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_datafusion_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};
use gecc::ecdsa::Policy;
use gecc::{SecretKey, Verdict};
use gecc_arrow::Answers;
use gecc_arrow::sql::{FunctionKind, ResultKind, Service, Task};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use tokio::runtime::{self, Handle, RuntimeFlavor};
use tokio::task;

/// A function and the service that computes it.
pub struct Function {
    kind: FunctionKind,
    gives: ResultKind,
    name: String,
    signature: Signature,
    policy: Policy,
    mask_key: Option<Arc<SecretKey>>,
    service: Arc<Service>,
}

impl Function {
    pub fn new(
        kind: FunctionKind,
        gives: ResultKind,
        policy: Policy,
        mask_key: Option<Arc<SecretKey>>,
        service: Arc<Service>,
    ) -> Self {
        Function {
            kind,
            gives,
            name: kind.name(gives),
            signature: signature(kind),
            policy,
            mask_key,
            service,
        }
    }

    /// Returns the type of the result; that of masks without their form is `Binary`.
    fn result(&self, task: Option<&Task>) -> DataType {
        match self.gives {
            ResultKind::Result => match task {
                Some(task) => task.result(self.kind),
                None => self.kind.result(),
            },
            ResultKind::Reason => {
                DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
            }
        }
    }

    /// Returns whether each row is true or false, never null.
    fn gives_verdicts(&self) -> bool {
        self.result(None) == DataType::Boolean
    }

    /// Returns a part of the answers as a column.
    fn column(&self, answers: &Answers) -> Result<ArrayRef, GenericError> {
        match (self.gives, answers.results()) {
            (ResultKind::Reason, _) => Ok(answers
                .to_columns()?
                .columns()
                .last()
                .expect("a column of reasons")
                .clone()),
            // Rows with a null argument are among the rejected ones, which are null here.
            (ResultKind::Result, [(_, column)]) => Ok(column.clone()),
            (ResultKind::Result, _) => {
                // A row with a null is not valid: if the result were null, neither `WHERE
                // verify(…)` nor `WHERE NOT verify(…)` would return it.
                let codes = answers.codes();
                let valid = BooleanBuffer::collect_bool(codes.len(), |row| {
                    codes[row] == Verdict::VALID_CODE
                });
                Ok(Arc::new(BooleanArray::new(valid, None)))
            }
        }
    }

    fn answers(&self, arguments: &Arguments) -> Result<Vec<Answers>, GenericError> {
        run_blocking(|| {
            let key = self.mask_key.as_deref().filter(|_| self.kind.takes_key());
            self.service
                .answers(self.kind, arguments.task, key, &arguments.batch)
        })
    }

    fn column_of_all(&self, arguments: &Arguments) -> Result<ArrayRef, GenericError> {
        let parts = self.answers(arguments)?;
        let columns = parts
            .iter()
            .map(|answers| self.column(answers))
            .collect::<Result<Vec<_>, _>>()?;
        match columns.as_slice() {
            [column] => Ok(column.clone()),
            several => Ok(concat(
                &several.iter().map(AsRef::as_ref).collect::<Vec<_>>(),
            )?),
        }
    }

    /// Creates an error of planning, prefixed with the function's name.
    fn plan_error(&self, problem: &dyn fmt::Display) -> DataFusionError {
        plan_datafusion_err!("{}: {problem}", self.name)
    }

    /// Prefixes an error with the function's name.
    fn named(&self, problem: impl Into<DataFusionError>) -> DataFusionError {
        problem.into().context(self.name.clone())
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.result(None))
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let arguments = Arguments::planned(self.kind, self.policy, &args)
            .map_err(|problem| self.plan_error(&problem.message()))?;
        // Detects problems that types alone do not show, such as signatures without recovery ids.
        self.answers(&arguments)
            .map_err(|problem| self.plan_error(&problem))?;
        Ok(Arc::new(Field::new(
            &self.name,
            self.result(Some(&arguments.task)),
            !self.gives_verdicts(),
        )))
    }

    fn is_strict(&self) -> bool {
        self.gives == ResultKind::Result && !self.gives_verdicts()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arguments =
            Arguments::of(self.kind, self.policy, args).map_err(|problem| self.named(problem))?;
        let column = self
            .column_of_all(&arguments)
            .map_err(|problem| self.named(problem))?;
        if arguments.is_constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &column, 0,
            )?));
        }
        Ok(ColumnarValue::Array(column))
    }
}

/// Returns a signature with arguments of any type, which are checked together with the named ones,
/// and which may be passed by name.
fn signature(kind: FunctionKind) -> Signature {
    let names = kind.arguments();
    let counts = (names.len() - kind.optional()..=names.len())
        .map(TypeSignature::Any)
        .collect();
    let signature = Signature::one_of(counts, Volatility::Immutable);
    signature
        .with_parameter_names(names)
        .expect("a name for each argument")
}

/// Runs work that blocks. On a worker of tokio's multi-thread runtime, its other tasks are passed
/// on before. Otherwise, with a blocked partition on each worker, nothing would be read for the
/// next batch. No deadlock is possible in either case, because the engine and the coalescer have
/// threads of their own.
fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    // Elsewhere `block_in_place` has no effect, or panics.
    let can_block = runtime::worker_index().is_some()
        && Handle::try_current()
            .is_ok_and(|handle| handle.runtime_flavor() == RuntimeFlavor::MultiThread);
    if can_block {
        task::block_in_place(work)
    } else {
        work()
    }
}

/// Functions are equal if they compute the same, so that equal calls in a statement are computed
/// once.
impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.gives == other.gives
            && self.policy == other.policy
            && self.mask_key.as_ref().map(Arc::as_ptr) == other.mask_key.as_ref().map(Arc::as_ptr)
            && Arc::ptr_eq(&self.service, &other.service)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.kind, self.gives).hash(state);
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
