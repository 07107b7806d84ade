//! Tables of transactions in Parquet, whose columns are found by the names that amp and cryo give them.

use super::answers::Kind;
use super::decoded::{Claims, Decoder};
use super::rlp;
use super::transaction::{Authorization, Deposit, Fields, Number, Parts, Signature, UnsignedType, put_access};
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
    places: Arc<Places>,
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

/// The columns that are read: where they are, or what they hold. Some a table need not have.
struct Columns<I, C, L> {
    block: Option<I>,
    hash: C,
    from: Option<C>,
    type_number: I,
    chain_id: Option<I>,
    nonce: I,
    gas_price: I,
    max_fee_per_gas: Option<I>,
    max_priority_fee_per_gas: Option<I>,
    max_fee_per_blob_gas: Option<I>,
    gas_limit: I,
    to: C,
    /// Decimal texts, or bytes big-endian.
    value: C,
    input: C,
    access_list: Option<L>,
    blob_versioned_hashes: Option<L>,
    authorization_list: Option<L>,
    parity: I,
    r: C,
    s: C,
    /// What deposits of OP chains have.
    source_hash: Option<C>,
    mint: Option<C>,
    is_system: Option<I>,
    /// Whether the column of chains says that of every row, also of those that are signed for any chain.
    chain_is_of_source: bool,
}

/// Where columns are in a table.
type Places = Columns<usize, usize, usize>;
/// The columns of some rows, by their types.
type Table<'a> = Columns<Integers<'a>, Cells<'a>, &'a ArrayRef>;

/// Looks for columns in a schema.
struct Finder<'a> {
    schema: &'a Schema,
    /// Where those are that were found.
    found: Vec<usize>,
}

impl Finder<'_> {
    /// The column with the first of these names that there is. There has to be one of it, and its type has to fit.
    fn find(&mut self, names: &[&str], fits: fn(&DataType) -> bool) -> Result<Option<usize>, String> {
        let Some(place) = names.iter().find_map(|name| self.schema.index_of(name).ok()) else { return Ok(None) };
        let field = self.schema.field(place);
        if self.schema.fields().iter().filter(|other| other.name() == field.name()).count() > 1 {
            return Err(format!("there are two columns {}: which of them counts is not known", field.name()));
        }
        if !fits(field.data_type()) {
            return Err(format!("the column {} is of type {}", field.name(), field.data_type()));
        }
        self.found.push(place);
        Ok(Some(place))
    }

    /// The column with one of these names whose type fits.
    fn find_fitting(&mut self, names: &[&str], fits: fn(&DataType) -> bool) -> Option<usize> {
        let place = names.iter().find_map(|name| self.schema.index_of(name).ok())?;
        let is_fitting = fits(self.schema.field(place).data_type());
        is_fitting.then(|| {
            self.found.push(place);
            place
        })
    }

    /// The same of one without which there is nothing to be done.
    fn need(&mut self, names: &[&str], fits: fn(&DataType) -> bool) -> Result<usize, String> {
        let missing = || format!("no table of transactions with signatures: there is no column {}", names.join(" or "));
        self.find(names, fits)?.ok_or_else(missing)
    }
}

fn is_list(data_type: &DataType) -> bool {
    matches!(data_type, DataType::List(_) | DataType::LargeList(_) | DataType::ListView(_))
}

impl Places {
    /// Those of a file, by its schema, and all of them as a list.
    fn of(schema: &Schema) -> Result<(Self, Vec<usize>), String> {
        let mut columns = Finder { schema, found: Vec::new() };
        let places = Columns {
            block: columns.find(&["block_num", "block_number"], holds_integers)?,
            hash: columns.need(&["tx_hash", "transaction_hash", "hash"], holds_bytes)?,
            from: columns.find(&["from", "from_address"], holds_bytes)?,
            type_number: columns.need(&["type", "transaction_type"], holds_integers)?,
            chain_id: columns.find(&["chain_id"], holds_integers)?,
            nonce: columns.need(&["nonce"], holds_integers)?,
            gas_price: columns.need(&["gas_price"], holds_integers)?,
            max_fee_per_gas: columns.find(&["max_fee_per_gas"], holds_integers)?,
            max_priority_fee_per_gas: columns.find(&["max_priority_fee_per_gas"], holds_integers)?,
            max_fee_per_blob_gas: columns.find(&["max_fee_per_blob_gas"], holds_integers)?,
            gas_limit: columns.need(&["gas_limit"], holds_integers)?,
            to: columns.need(&["to", "to_address"], holds_bytes)?,
            value: columns.need(&["value", "value_binary", "value_string"], holds_bytes)?,
            input: columns.need(&["input"], holds_bytes)?,
            access_list: columns.find(&["access_list"], is_list)?,
            blob_versioned_hashes: columns.find(&["blob_versioned_hashes"], is_list)?,
            authorization_list: columns.find(&["authorization_list"], is_list)?,
            parity: columns.need(&["v_parity", "v"], holds_integers)?,
            r: columns.need(&["r"], holds_bytes)?,
            s: columns.need(&["s"], holds_bytes)?,
            source_hash: columns.find_fitting(&["source_hash"], holds_bytes),
            mint: columns.find_fitting(&["mint"], holds_bytes),
            is_system: columns.find_fitting(&["is_system_tx", "is_system_transaction"], holds_integers),
            // cryo's table, which alone has this name.
            chain_is_of_source: schema.index_of("transaction_hash").is_ok(),
        };
        Ok((places, columns.found))
    }

    /// What the columns hold in some rows.
    fn table<'a>(&self, batch: &'a RecordBatch) -> Table<'a> {
        let list = |place: usize| batch.column(place);
        let cells = |place| Cells::of(list(place).as_ref());
        let integers = |place| Integers::of(list(place).as_ref());
        Columns {
            block: self.block.map(integers),
            hash: cells(self.hash),
            from: self.from.map(cells),
            type_number: integers(self.type_number),
            chain_id: self.chain_id.map(integers),
            nonce: integers(self.nonce),
            gas_price: integers(self.gas_price),
            max_fee_per_gas: self.max_fee_per_gas.map(integers),
            max_priority_fee_per_gas: self.max_priority_fee_per_gas.map(integers),
            max_fee_per_blob_gas: self.max_fee_per_blob_gas.map(integers),
            gas_limit: integers(self.gas_limit),
            to: cells(self.to),
            value: cells(self.value),
            input: cells(self.input),
            access_list: self.access_list.map(list),
            blob_versioned_hashes: self.blob_versioned_hashes.map(list),
            authorization_list: self.authorization_list.map(list),
            parity: integers(self.parity),
            r: cells(self.r),
            s: cells(self.s),
            source_hash: self.source_hash.map(cells),
            mint: self.mint.map(cells),
            is_system: self.is_system.map(integers),
            chain_is_of_source: self.chain_is_of_source,
        }
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
    let (_, wanted) = Places::of(input.schema()).map_err(whole)?;
    let rows = input.rows().unwrap_or(0).max(1);
    let batches = input.batches(&gecc_arrow::Projection::Only(wanted)).map_err(|problem| whole(problem.to_string()))?;
    let (places, _) = Places::of(batches.schema()).expect("the columns are those that were found");
    let places = Arc::new(places);
    let (mut first, mut said) = (0, 0);
    for batch in batches {
        let batch = batch.map_err(|problem| Problem::new(path, Place::Row(first), problem))?;
        let row_bytes = batch.get_array_memory_size() / batch.num_rows().max(1);
        for start in (0..batch.num_rows()).step_by(ROWS) {
            let count = ROWS.min(batch.num_rows() - start);
            let places = Arc::clone(&places);
            let part = Rows { batch: batch.slice(start, count), places, next: 0, bytes: count * row_bytes };
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

impl Table<'_> {
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

    /// Whether a row is a deposit of an OP chain.
    fn is_deposit(&self, row: usize) -> bool {
        small(&self.type_number, row).ok().and_then(UnsignedType::of) == Some(UnsignedType::Deposit)
    }

    /// A deposit. Its signature, where the columns have one, is zeros.
    fn read_deposit<'r>(&'r self, row: usize, parts: &'r mut Parts) -> Result<Deposit<'r>, Why> {
        parts.clear();
        for (column, name) in [(&self.r, "r"), (&self.s, "s")] {
            match number(column, row) {
                Err(CellProblem::Null) => {}
                Err(problem) => return Err(of(name)(problem)),
                Ok(number) if number == [0; 32] => {}
                Ok(_) => return Err(format!("a deposit has no signature, and this row has {name}").into()),
            }
        }
        let lacking = "a deposit cannot be rebuilt without columns source_hash, from and mint";
        let source_hash = self.source_hash.as_ref().ok_or(lacking)?;
        let from = self.from.as_ref().ok_or(lacking)?;
        let mint = self.mint.as_ref().ok_or(lacking)?;
        let is_system = self.is_system.as_ref().map(|column| small(column, row));
        self.input.append(row, &mut parts.input).map_err(of("input"))?;
        Ok(Deposit {
            source_hash: fixed(source_hash, row).map_err(of("source_hash"))?,
            from: fixed(from, row).map_err(of("from"))?,
            to: self.recipient(row)?,
            mint: match amount(mint, row) {
                Err(CellProblem::Null) => [0; 32],
                mint => mint.map_err(of("mint"))?,
            },
            value: amount(&self.value, row).map_err(of("value"))?,
            gas_limit: small(&self.gas_limit, row).map_err(of("gas_limit"))?,
            is_system: match is_system {
                None | Some(Ok(0) | Err(CellProblem::Null)) => false,
                Some(Ok(1)) => true,
                Some(Ok(_)) => return Err("is_system_tx is neither true nor false".into()),
                Some(Err(problem)) => return Err(of("is_system_tx")(problem)),
            },
            input: &parts.input,
        })
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
        let (table, all, mut row) = (rows.places.table(&rows.batch), rows.batch.num_rows(), rows.next);
        let mut parts = Parts::default();
        self.reserve(all - row, rows.bytes);
        while row < all && !self.is_full() {
            let block = table.block.as_ref().and_then(|column| optional(column, row));
            if self.wants(block) && table.is_deposit(row) {
                match table.hash(row).and_then(|hash| Ok((hash, table.read_deposit(row, &mut parts)?))) {
                    Ok((hash, deposit)) => self.add_deposit(&deposit, Some(hash), block),
                    Err(why) => self.add_not_rebuilt(Kind::Deposit, table.hash(row).unwrap_or_default(), block, why),
                }
            } else if self.wants(block) {
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
fn part<'a>(items: &'a ArrayRef, name: &str, fits: fn(&DataType) -> bool) -> Result<&'a ArrayRef, Why> {
    let parts = items.as_struct_opt().and_then(|items| items.column_by_name(name));
    let fitting = parts.filter(|part| fits(part.data_type()));
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
    let addresses = Cells::of(part(&accounts, "address", holds_bytes)?.as_ref());
    let keys = part(&accounts, "storage_keys", is_list)?;
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
    let cells = |name| part(&items, name, holds_bytes).map(|part| Cells::of(part.as_ref()));
    let integers = |name| part(&items, name, holds_integers).map(|part| Integers::of(part.as_ref()));
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
