//! Advice about CSV files, which are not supported.

/// Maximum number of bytes of the first line that are examined.
const LONGEST: usize = 4096;
/// Names of columns with encoded transactions, in mempool-dumpster and elsewhere.
const RAW: [&str; 5] = [
    "rawTx",
    "raw_tx",
    "rawTransaction",
    "raw_transaction",
    "raw",
];
const HASHES: [&str; 3] = ["hash", "transaction_hash", "tx_hash"];

/// Describes a CSV file of transactions, and how to convert it; `None` for files that are not.
pub fn described(first: &[u8]) -> Option<String> {
    let line = first.split(|byte| *byte == b'\n').next()?;
    let line = str::from_utf8(&line[..line.len().min(LONGEST)])
        .ok()?
        .trim_end();
    let delimiter = [',', ';', '\t']
        .into_iter()
        .find(|delimiter| line.contains(*delimiter))?;
    let names: Vec<&str> = line
        .split(delimiter)
        .map(|name| name.trim().trim_matches('"'))
        .collect();
    if let Some(column) = names.iter().position(|name| RAW.contains(name)) {
        let option = if delimiter == ',' { "-d, " } else { "" };
        return Some(format!(
            "CSV with encoded transactions in the column `{}`, which is read by itself: tail -n +2 FILE | cut {option}-f{} \
             | gecc ethereum senders -",
            names[column],
            column + 1
        ));
    }
    if !names.iter().any(|name| HASHES.contains(name)) {
        return None;
    }
    let has_signatures = names.contains(&"r") && names.contains(&"s");
    let what = if has_signatures {
        "CSV of transactions, of which Parquet with the same columns is read"
    } else {
        "CSV of transactions without signatures: senders are recovered from columns r, s and v, which datasets of \
         ethereum-etl do not have and cryo writes (--include-columns v r s)"
    };
    Some(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn described_gives_advice_on_tables_of_transactions() {
        for (header, expected) in [
            (
                "hash,nonce,block_hash,from_address,to_address,value,gas\n0x,",
                "without signatures",
            ),
            ("\"transaction_hash\";\"nonce\"\r\n", "without signatures"),
            ("hash,nonce,v,r,s\n", "of which Parquet"),
            ("timestamp_ms,hash,raw_tx\n", "cut -d, -f3 "),
            ("rawTx\thash\n", "cut -f1 "),
        ] {
            let message = described(header.as_bytes()).unwrap();
            assert!(message.contains(expected), "{message}");
        }
        for other in [&b""[..], b"text", b"a,b\n", b"hash\n0x00", b"\xff,hash\n"] {
            assert_eq!(described(other), None);
        }
    }
}
