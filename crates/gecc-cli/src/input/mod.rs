//! Reading of items from files and pipes. `open` detects the kind of input, after `compressed`, and
//! `source` reads it in pieces of `text`. For text, the `splitter` makes units of whole rows
//! (`layout` detects the format, `scan` finds the row ends), and `items` yields the `fields` of
//! each row: of tables through `table`, of JSON through a parser or the `shape` of earlier objects.
//! `keyfile` holds the private keys of a command, in any of the forms of `keys`.

pub mod compressed;
mod deferred_reader;
pub mod encodings;
pub mod fields;
pub mod items;
mod key_texts;
pub mod keyfile;
pub mod keys;
pub mod layout;
pub mod names;
pub mod open;
pub mod paths;
mod pipe;
mod scan;
pub mod seen_fields;
mod shape;
pub mod source;
pub mod splitter;
mod table;
pub mod text;
pub mod utf_16;
