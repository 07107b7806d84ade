//! Reading of items from files and pipes. `open` detects the kind of input, after `compressed`, and
//! `source` reads it in pieces of `text`. For text, `cut` makes units of whole rows (`layout`
//! detects the format, `scan` finds the row ends), and `items` yields the `fields` of each row: of
//! tables through `table`, of JSON through a parser or the `shape` of earlier objects. `binary`
//! makes columns of fixed-width rows. `keyfile` holds the private keys of a command, in any of the
//! forms of `keys`.

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
mod unread;
pub mod utf_16;
