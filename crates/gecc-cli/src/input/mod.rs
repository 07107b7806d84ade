//! From files and pipes to items. `open` says what an input is, after `compressed`, and `source` reads it in pieces of
//! `text`. For text, `cut` makes units of whole rows of these (`layout` tells the format, `scan` where rows end), and
//! `items` gives the `fields` of each row, of tables by `table`, of JSON by a parser or the `shape` of what it read
//! before. `binary` makes columns of rows of fixed width. `keyfile` has the private keys that a command uses, in any of
//! the forms of `keys`.

pub mod binary;
pub mod compressed;
pub mod cut;
pub mod detect;
pub mod fields;
pub mod items;
pub mod keyfile;
pub mod keys;
pub mod layout;
pub mod names;
pub mod open;
pub mod paths;
mod pipe;
mod public_key;
mod scan;
mod secret_key;
pub mod seen;
mod shape;
pub mod source;
mod table;
pub mod text;
