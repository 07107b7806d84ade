//! Tables of transactions in Parquet, whose columns are found by the names that amp and cryo give them.

use super::answers::Kind;
use super::decoded::{Claims, Decoder};
use super::rlp;
use super::transaction::{Authorization, Fields, Number, Parts, Signature, put_access};
use super::{Content, Piece};
use crate::flow::HandOn;
use crate::limits::Limits;
use crate::problem::{Place, Problem};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use gecc::ecdsa::Address;
use gecc_arrow::{CellProblem, Cells, Format, Integers, ReadOptions, holds_bytes, holds_integers};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Bytes that tell formats of tables apart.
const FIRST_BYTES: usize = 8;
/// Rows that are read by themselves.
const ROWS: usize = 1 << 11;
/// Bytes of a file that is decoded sooner than threads for it have started.
const SMALL: u64 = 1 << 20;
/// Bytes that decoded rows may take before they are handed out, and a row with all that becomes of it.
const MEMORY: u64 = 1 << 30;
const ROW: u64 = 1 << 10;

/// Some rows of a table.
pub struct Rows {
    batch: RecordBatch,
    columns: Arc<ColumnPlaces>,
    next: usize,
    /// Their part of the bytes of the batch that they were cut from.
    bytes: usize,
}

impl Rows {
    /// Bytes that are in memory until all are decoded: also the fields of a transaction and what is signed, of which
    /// one may have most of the bytes.
    pub fn weight(&self) -> usize {
        3 * self.bytes
    }
}

/// A column that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Block,
    Hash,
    From,
    Type,
    ChainId,
    Nonce,
    GasPrice,
    MaxFeePerGas,
    MaxPriorityFeePerGas,
    MaxFeePerBlobGas,
    GasLimit,
    To,
    Value,
    Input,
    AccessList,
    BlobVersionedHashes,
    AuthorizationList,
    Parity,
    R,
    S,
}

/// What cells of a column are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Bytes,
    Integers,
    /// A decimal text, or bytes big-endian.
    Amount,
    List,
}

impl Column {
    /// Each with its names, what it holds, and whether there is nothing to be done without it.
    const ALL: [(Column, &[&str], Holds, bool); 20] = [
        (Column::Block, &["block_num", "block_number"], Holds::Integers, false),
        (Column::Hash, &["tx_hash", "transaction_hash", "hash"], Holds::Bytes, true),
        (Column::From, &["from", "from_address"], Holds::Bytes, false),
        (Column::Type, &["type", "transaction_type"], Holds::Integers, true),
        (Column::ChainId, &["chain_id"], Holds::Integers, false),
        (Column::Nonce, &["nonce"], Holds::Integers, true),
        (Column::GasPrice, &["gas_price"], Holds::Integers, true),
        (Column::MaxFeePerGas, &["max_fee_per_gas"], Holds::Integers, false),
        (Column::MaxPriorityFeePerGas, &["max_priority_fee_per_gas"], Holds::Integers, false),
        (Column::MaxFeePerBlobGas, &["max_fee_per_blob_gas"], Holds::Integers, false),
        (Column::GasLimit, &["gas_limit"], Holds::Integers, true),
        (Column::To, &["to", "to_address"], Holds::Bytes, true),
        (Column::Value, &["value", "value_binary", "value_string"], Holds::Amount, true),
        (Column::Input, &["input"], Holds::Bytes, true),
        (Column::AccessList, &["access_list"], Holds::List, false),
        (Column::BlobVersionedHashes, &["blob_versioned_hashes"], Holds::List, false),
        (Column::AuthorizationList, &["authorization_list"], Holds::List, false),
        (Column::Parity, &["v_parity", "v"], Holds::Integers, true),
        (Column::R, &["r"], Holds::Bytes, true),
        (Column::S, &["s"], Holds::Bytes, true),
    ];
}

impl Holds {
    fn fits(self, data_type: &DataType) -> bool {
        match self {
            Holds::Bytes | Holds::Amount => holds_bytes(data_type),
            Holds::Integers => holds_integers(data_type),
            Holds::List => matches!(data_type, DataType::List(_) | DataType::LargeList(_) | DataType::ListView(_)),
        }
    }
}

/// Where columns are, by their number.
struct ColumnPlaces {
    places: [Option<usize>; Column::ALL.len()],
    /// Whether the column of chains says that of every row, also of those that are signed for any chain.
    chain_is_of_source: bool,
}

impl ColumnPlaces {
    /// Those of the file, by its schema.
    fn of(schema: &Schema) -> Result<Self, String> {
        let mut places = [None; Column::ALL.len()];
        for (column, names, holds, is_needed) in Column::ALL {
            let place = names.iter().find_map(|name| schema.index_of(name).ok());
            let field = place.map(|place| schema.field(place));
            if let Some(field) = field.filter(|field| !holds.fits(field.data_type())) {
                return Err(format!("the column {} is of type {}", field.name(), field.data_type()));
            }
            if is_needed && place.is_none() {
                return Err(format!(
                    "no table of transactions with signatures: there is no column {}",
                    names.join(" or ")
                ));
            }
            places[column as usize] = place;
        }
        // cryo's table, which alone has this name.
        let chain_is_of_source = schema.index_of("transaction_hash").is_ok();
        Ok(ColumnPlaces { places, chain_is_of_source })
    }

    fn array<'a>(&self, batch: &'a RecordBatch, column: Column) -> Option<&'a ArrayRef> {
        self.places[column as usize].map(|place| batch.column(place))
    }
}

/// Whether a file that begins like this is a table.
pub fn begins(first: &[u8]) -> bool {
    Format::of(&first[..first.len().min(FIRST_BYTES)]).is_some()
}

/// Reads a table.
///
/// # Errors
/// Where it is none that is known, or not what it says.
pub fn read(
    path: &Arc<Path>,
    length: u64,
    limits: &Limits,
    hand_on: &mut HandOn<Piece>,
) -> Result<ControlFlow<()>, Problem> {
    let whole = |what: String| Problem::new(path, Place::Whole, what);
    let (default, max_memory) = (ReadOptions::default(), MEMORY.min(limits.ahead as u64 / 2));
    let rows = default.rows.min((max_memory / ROW) as usize);
    // Other files are read meanwhile.
    let threads = if length < SMALL { 0 } else { limits.threads };
    let options = ReadOptions { rows, threads, max_memory, max_page: default.max_page.min(max_memory) };
    let input = gecc_arrow::open(path, options).map_err(|problem| whole(problem.to_string()))?;
    if input.format() != Format::Parquet {
        return Err(whole("Arrow IPC is not read here, Parquet is".to_owned()));
    }
    let wanted = ColumnPlaces::of(input.schema()).map_err(whole)?.places.into_iter().flatten().collect();
    let rows = input.rows().unwrap_or(0).max(1);
    let batches = input.batches(&gecc_arrow::Projection::Only(wanted)).map_err(|problem| whole(problem.to_string()))?;
    let columns = Arc::new(ColumnPlaces::of(batches.schema()).expect("the columns are those that were found"));
    let (mut first, mut said) = (0, 0);
    for batch in batches {
        let batch = batch.map_err(|problem| Problem::new(path, Place::Row(first), problem))?;
        let row_bytes = batch.get_array_memory_size() / batch.num_rows().max(1);
        for start in (0..batch.num_rows()).step_by(ROWS) {
            let count = ROWS.min(batch.num_rows() - start);
            let columns = Arc::clone(&columns);
            let part = Rows { batch: batch.slice(start, count), columns, next: 0, bytes: count * row_bytes };
            first += count as u64;
            // The file's bytes are shared out among its rows.
            let until = (u128::from(length) * u128::from(first) / u128::from(rows)) as u64;
            if hand_on(Piece::new(path, Content::Rows(part), until - said)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            said = until;
        }
    }
    Ok(ControlFlow::Continue(()))
}

type Why = Cow<'static, str>;

/// The columns of some rows, by their types.
struct Table<'a> {
    block: Option<Integers<'a>>,
    hash: Cells<'a>,
    from: Option<Cells<'a>>,
    type_number: Integers<'a>,
    chain_id: Option<Integers<'a>>,
    nonce: Integers<'a>,
    gas_price: Integers<'a>,
    max_fee_per_gas: Option<Integers<'a>>,
    max_priority_fee_per_gas: Option<Integers<'a>>,
    max_fee_per_blob_gas: Option<Integers<'a>>,
    gas_limit: Integers<'a>,
    to: Cells<'a>,
    value: Cells<'a>,
    input: Cells<'a>,
    access_list: Option<&'a ArrayRef>,
    blob_versioned_hashes: Option<&'a ArrayRef>,
    authorization_list: Option<&'a ArrayRef>,
    parity: Integers<'a>,
    r: Cells<'a>,
    s: Cells<'a>,
    chain_is_of_source: bool,
}

impl<'a> Table<'a> {
    fn of(Rows { batch, columns, .. }: &'a Rows) -> Self {
        let array = |column| columns.array(batch, column);
        let needed = |column| array(column).expect("a table without it is not read").as_ref();
        let cells = |column| Cells::of(needed(column));
        let integers = |column| Integers::of(needed(column));
        let some_integers = |column| array(column).map(|array| Integers::of(array.as_ref()));
        Table {
            block: some_integers(Column::Block),
            hash: cells(Column::Hash),
            from: array(Column::From).map(|array| Cells::of(array.as_ref())),
            type_number: integers(Column::Type),
            chain_id: some_integers(Column::ChainId),
            nonce: integers(Column::Nonce),
            gas_price: integers(Column::GasPrice),
            max_fee_per_gas: some_integers(Column::MaxFeePerGas),
            max_priority_fee_per_gas: some_integers(Column::MaxPriorityFeePerGas),
            max_fee_per_blob_gas: some_integers(Column::MaxFeePerBlobGas),
            gas_limit: integers(Column::GasLimit),
            to: cells(Column::To),
            value: cells(Column::Value),
            input: cells(Column::Input),
            access_list: array(Column::AccessList),
            blob_versioned_hashes: array(Column::BlobVersionedHashes),
            authorization_list: array(Column::AuthorizationList),
            parity: integers(Column::Parity),
            r: cells(Column::R),
            s: cells(Column::S),
            chain_is_of_source: columns.chain_is_of_source,
        }
    }

    /// The fields of a row, which refer to the parts that it fills.
    fn read<'r>(
        &'r self,
        row: usize,
        block: Option<u64>,
        parts: &'r mut Parts,
    ) -> Result<(Fields<'r>, Signature, Claims), Why> {
        parts.clear();
        let input = match self.input.get(row).map_err(of("input"))? {
            bytes if !self.input.is_text() => Some(bytes),
            _ => {
                self.input.append(row, &mut parts.input).map_err(of("input"))?;
                None
            }
        };
        let fields = Fields {
            type_number: small(&self.type_number, row).map_err(of("type"))?,
            chain_id: self.chain_id.as_ref().and_then(|column| optional(column, row)),
            chain_is_of_source: self.chain_is_of_source,
            nonce: small(&self.nonce, row).map_err(of("nonce"))?,
            gas_price: optional(&self.gas_price, row),
            max_fee_per_gas: self.max_fee_per_gas.as_ref().and_then(|column| optional(column, row)),
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.as_ref().and_then(|column| optional(column, row)),
            max_fee_per_blob_gas: self.max_fee_per_blob_gas.as_ref().and_then(|column| optional(column, row)),
            gas_limit: small(&self.gas_limit, row).map_err(of("gas_limit"))?,
            to: self.recipient(row)?,
            value: amount(&self.value, row).map_err(of("value"))?,
            lacks: self.access_list.is_none().then_some("the table has no access lists"),
            ..Fields::default()
        };
        if let Some(list) = self.access_list {
            put_access_list(list, row, &mut parts.access_list)?;
        }
        if let Some(list) = self.blob_versioned_hashes
            && let Some(hashes) = items(list, row)?
        {
            put_hashes(&hashes, &mut parts.blob_versioned_hashes)?;
        }
        if let Some(list) = self.authorization_list {
            put_authorizations(list, row, &mut parts.authorization_list)?;
        }
        let mut fields = fields.with(parts);
        fields.input = input.unwrap_or(fields.input);
        let parity = match small(&self.parity, row).map_err(of("v"))? {
            0 => false,
            1 => true,
            other => return Err(format!("a parity of {other} does not exist").into()),
        };
        let of_signature = |column, name| number(column, row).map_err(of(name));
        let signature = Signature { r: of_signature(&self.r, "r")?, s: of_signature(&self.s, "s")?, parity };
        let from = self.from.as_ref().map(|from| fixed(from, row)).transpose().map_err(of("from"))?;
        let claims = Claims { block, hash: Some(self.hash(row)?), from, authorities: Vec::new() };
        Ok((fields, signature, claims))
    }

    fn hash(&self, row: usize) -> Result<[u8; 32], Why> {
        fixed(&self.hash, row).map_err(of("the hash"))
    }

    /// `None` where a contract is made.
    fn recipient(&self, row: usize) -> Result<Option<Address>, Why> {
        match fixed(&self.to, row) {
            Ok(address) => Ok(Some(address)),
            Err(CellProblem::Null) => Ok(None),
            Err(problem) => Err(of("to")(problem)),
        }
    }
}

impl Decoder<'_> {
    /// Adds the transactions of rows until there is enough. Whether that were all.
    pub fn add_rows(&mut self, rows: &mut Rows) -> bool {
        let (table, all, mut row) = (Table::of(rows), rows.batch.num_rows(), rows.next);
        let mut parts = Parts::default();
        self.reserve(all - row, rows.bytes);
        while row < all && !self.is_full() {
            let block = table.block.as_ref().and_then(|column| optional(column, row));
            if self.wants(block) {
                match table.read(row, block, &mut parts) {
                    Ok((fields, signature, claims)) => self.add_fields(&fields, &signature, &claims),
                    Err(why) => self.add_not_rebuilt(Kind::Unknown, table.hash(row).unwrap_or_default(), block, why),
                }
            }
            row += 1;
        }
        rows.next = row;
        row == all
    }
}

/// Says which column a problem is of.
fn of(column: &'static str) -> impl Fn(CellProblem) -> Why {
    move |problem| format!("{column} {problem}").into()
}

/// A cell that is null, or holds a number that nothing of a transaction is, counts as none.
fn optional<T: TryFrom<i128>>(column: &Integers, row: usize) -> Option<T> {
    column.get(row).ok().and_then(|number| T::try_from(number).ok())
}

fn small(column: &Integers, row: usize) -> Result<u64, CellProblem> {
    column.get(row).and_then(|number| u64::try_from(number).map_err(|_| CellProblem::WrongLength))
}

fn fixed<const N: usize>(column: &Cells, row: usize) -> Result<[u8; N], CellProblem> {
    let mut bytes = [0; N];
    column.read(row, &mut bytes).map(|()| bytes)
}

fn number(column: &Cells, row: usize) -> Result<Number, CellProblem> {
    let mut number = [0; 32];
    column.read_number(row, &mut number).map(|()| number)
}

/// A text is decimal unless it begins with `0x`.
fn amount(column: &Cells, row: usize) -> Result<Number, CellProblem> {
    let cell = column.get(row)?;
    if !column.is_text() || cell.starts_with(b"0x") {
        return number(column, row);
    }
    decimal(cell).ok_or(CellProblem::WrongLength)
}

fn decimal(digits: &[u8]) -> Option<Number> {
    let mut words = [0; 4];
    for digit in digits {
        let mut carry = u128::from(char::from(*digit).to_digit(10)?);
        for word in words.iter_mut().rev() {
            let product = 10 * u128::from(*word) + carry;
            (*word, carry) = (product as u64, product >> 64);
        }
        if carry > 0 {
            return None;
        }
    }
    let number = *words.map(u64::to_be_bytes).as_flattened().as_array()?;
    Some(number).filter(|_| !digits.is_empty())
}

/// The items of a list; those of a list that is null are none.
fn items(list: &ArrayRef, row: usize) -> Result<Option<ArrayRef>, Why> {
    if list.is_null(row) {
        return Ok(None);
    }
    // Most are empty. An array of no items would be made of counted buffers all the same, whose counts all threads
    // change.
    let (is_empty, items): (bool, &dyn Fn() -> ArrayRef) = match list.data_type() {
        DataType::List(_) => {
            let list = list.as_list::<i32>();
            (list.value_length(row) == 0, &|| list.value(row))
        }
        DataType::LargeList(_) => {
            let list = list.as_list::<i64>();
            (list.value_length(row) == 0, &|| list.value(row))
        }
        DataType::ListView(_) => {
            let list = list.as_list_view::<i32>();
            (list.value_size(row) == 0, &|| list.value(row))
        }
        other => return Err(format!("a list is of type {other}").into()),
    };
    Ok((!is_empty).then(items))
}

/// A part of the items of a list of structs.
fn part<'a>(items: &'a ArrayRef, name: &str, holds: Holds) -> Result<&'a ArrayRef, Why> {
    let parts = items.as_struct_opt().and_then(|items| items.column_by_name(name));
    let fitting = parts.filter(|part| holds.fits(part.data_type()));
    fitting.ok_or_else(|| format!("items of a list have no {name} of a known type").into())
}

/// Appends hashes, encoded.
fn put_hashes(items: &ArrayRef, to: &mut Vec<u8>) -> Result<(), Why> {
    if !holds_bytes(items.data_type()) {
        return Err(format!("hashes are of type {}", items.data_type()).into());
    }
    let cells = Cells::of(items.as_ref());
    for item in 0..items.len() {
        let hash: [u8; 32] = fixed(&cells, item).map_err(of("a hash of a list"))?;
        rlp::put_string(&hash, to);
    }
    Ok(())
}

/// Appends the items of an access list, encoded.
fn put_access_list(list: &ArrayRef, row: usize, to: &mut Vec<u8>) -> Result<(), Why> {
    let Some(accounts) = items(list, row)? else { return Ok(()) };
    let addresses = Cells::of(part(&accounts, "address", Holds::Bytes)?.as_ref());
    let keys = part(&accounts, "storage_keys", Holds::List)?;
    for account in 0..accounts.len() {
        let address = fixed(&addresses, account).map_err(of("an address of a list"))?;
        let keys = items(keys, account)?;
        put_access(&address, keys.as_ref().map_or(0, |keys| keys.len()), to);
        keys.map_or(Ok(()), |keys| put_hashes(&keys, to))?;
    }
    Ok(())
}

/// Appends authorizations, encoded.
fn put_authorizations(list: &ArrayRef, row: usize, to: &mut Vec<u8>) -> Result<(), Why> {
    let Some(items) = items(list, row)? else { return Ok(()) };
    let cells = |name| part(&items, name, Holds::Bytes).map(|part| Cells::of(part.as_ref()));
    let integers = |name| part(&items, name, Holds::Integers).map(|part| Integers::of(part.as_ref()));
    let (chains, nonces, parities) = (integers("chain_id")?, integers("nonce")?, integers("y_parity")?);
    let (addresses, r, s) = (cells("address")?, cells("r")?, cells("s")?);
    let read = |item: usize| {
        let mut chain_id = [0; 32];
        chain_id[24..].copy_from_slice(&small(&chains, item)?.to_be_bytes());
        Ok(Authorization {
            chain_id,
            address: fixed(&addresses, item)?,
            nonce: small(&nonces, item)?,
            parity: u8::try_from(small(&parities, item)?).map_err(|_| CellProblem::WrongLength)?,
            r: number(&r, item)?,
            s: number(&s, item)?,
        })
    };
    for item in 0..items.len() {
        read(item).map_err(of("an authorization"))?.put(to);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::U256;

    #[test]
    fn decimals_are_those_of_alloy() {
        for bits in 0..=256 {
            let known = U256::MAX.checked_shr(bits).unwrap_or_default();
            for text in [known.to_string(), format!("{known:080}")] {
                assert_eq!(decimal(text.as_bytes()), Some(known.to_be_bytes()), "{text}");
            }
        }
        // 2^256, and ten times as much.
        let too_large = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        for text in ["", "1_0", "-1", "+1", "1.0", "a", "ü", too_large, &format!("{too_large}0")] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
    }
}
