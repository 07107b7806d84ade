//! From files and pipes to items: `lines` and `rows`, made into `records` of `fields`, which a `queue` hands over.
//! `keyfile` has the private keys that a command uses, in any of the forms of `keys`.

#[cfg_attr(not(test), expect(dead_code, reason = "the commands do not read rows of bytes yet"))]
pub mod binary;
#[cfg_attr(not(test), expect(dead_code, reason = "the commands do not open compressed input yet"))]
pub mod compressed;
pub mod fields;
pub mod keyfile;
pub mod keys;
pub mod lines;
pub mod queue;
pub mod records;
pub mod rows;
