//! Senders of real transactions, of transactions made here, and of files that are damaged, on every
//! engine.

mod damaged;
mod e2store;
mod envelopes;
mod forms;
mod hostile;
mod made;
mod real;
mod roots;
#[cfg(feature = "arrow")]
mod spelled_tables;
mod spellings;
#[cfg(feature = "arrow")]
mod tables;
mod unsigned;

use crate::harness::{Named, Test, named};
use crate::support::on_every_engine;
use gecc_chains::Settings;

pub fn tests() -> Vec<Test> {
    let tests: [Named<fn(&Settings)>; _] = named![
        real::json_blocks,
        real::era1_of_the_main_chain,
        real::era1_of_sepolia,
        real::era1_without_transactions,
        real::blocks_in_rlp,
        #[cfg(feature = "arrow")]
        real::tables_of_amp,
        #[cfg(feature = "arrow")]
        real::tables_of_cryo,
        real::ranges_of_blocks,
        real::other_chains,
        made::transactions_of_every_kind,
        made::high_s,
        made::other_senders_and_hashes,
        made::responses_of_nodes,
        forms::transactions_by_themselves,
        forms::transactions_with_extreme_numbers,
        forms::blocks_and_transactions_in_hexadecimal,
        forms::node_errors_are_reported,
        forms::deposits,
        forms::malformed_deposits,
        forms::deposits_of_op_mainnet,
        #[cfg(feature = "arrow")]
        tables::deposits,
        forms::compressed_files,
        envelopes::envelopes,
        envelopes::envelopes_without_transactions,
        envelopes::encoded_transactions_with_stated_fields,
        envelopes::transactions_with_blobs,
        spellings::members_that_say_the_same,
        spellings::contradictions_name_both_members,
        spellings::members_that_are_there_twice,
        spellings::numbers_in_other_spellings,
        spellings::types_and_parities_that_the_hash_decides,
        spellings::signature_objects,
        spellings::bad_transactions_corrupt_themselves_alone,
        spellings::text_that_is_not_json,
        spellings::errors_do_not_quote_values,
        spellings::rules_of_an_earlier_block,
        unsigned::transactions_without_a_signature,
        unsigned::types_that_are_contradicted,
        unsigned::signed_transactions_of_arbitrum_classic,
        unsigned::encoded_ones,
        #[cfg(feature = "arrow")]
        spelled_tables::v_of_eip155_and_types_that_are_null,
        #[cfg(feature = "arrow")]
        spelled_tables::v_contradicting_the_chain,
        #[cfg(feature = "arrow")]
        spelled_tables::encoded_transactions,
        #[cfg(feature = "arrow")]
        spelled_tables::tables_without_signatures,
        damaged::era1_cut_anywhere,
        damaged::era1_with_changed_bytes,
        damaged::lengths_that_lie,
        damaged::lengths_that_hide_blocks,
        damaged::files_of_problems,
        damaged::bombs,
        #[cfg(feature = "arrow")]
        damaged::tables_with_changed_bytes,
        damaged::files_of_something_else,
        e2store::all_headers_first,
        e2store::headers_of_blocks_apart,
        e2store::bodies_in_other_places,
        e2store::damaged_records_among_bodies,
        e2store::files_cut_between_records,
        e2store::indexes_and_accumulators_that_lie,
        e2store::accumulators_after_all_bodies,
        e2store::headers_with_proofs,
        e2store::bodies_of_other_blocks,
        roots::blocks_in_json,
        roots::blocks_in_parts,
        roots::blocks_with_a_changed_bit,
        roots::roots_are_compared_with_only_rejected,
        hostile::lists_of_no_transactions,
        hostile::bad_records,
        hostile::long_texts,
        hostile::little_memory,
        hostile::blocks_beyond_the_memory,
    ];
    on_every_engine("ethereum", tests)
}
