//! From files and pipes to items. `open` says what an input is, `source` reads it in pieces of `text`, `cut` makes units of whole rows of
//! these (`layout` tells the format, `scan` where rows end), and `items` gives the `fields` of each row, of tables by `table`.
//! `keyfile` has the private keys that a command uses.

pub mod cut;
pub mod fields;
pub mod items;
pub mod keyfile;
pub mod layout;
pub mod open;
mod scan;
pub mod source;
mod table;
pub mod text;
