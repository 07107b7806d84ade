//! Inputs of real blocks, of blocks made here, and of files that are damaged, on every engine.

mod blocks;
mod damaged;
mod hostile;
mod made;
mod real;
mod records;
mod silent;
mod taproot;
mod taproot_vectors;

use crate::harness::{Named, Test, named};
use crate::support::on_every_engine;
use gecc_chains::Settings;

pub fn tests() -> Vec<Test> {
    let tests: [Named<fn(&Settings)>; _] = named![
        real::block_300025,
        real::block_of_testnet,
        real::blocks_in_hexadecimal,
        real::block_866342,
        real::transactions_of_2024,
        real::folder_of_bitcoin_core,
        silent::vectors_of_bip_352,
        silent::block_866342,
        silent::transactions_of_2024,
        made::inputs_of_every_template,
        made::corrupted_inputs,
        made::rules_by_height,
        made::inputs_that_consensus_rejects_are_invalid,
        made::long_elements_of_witnesses,
        made::malformed_signatures_are_invalid,
        made::hash_types_without_a_name,
        taproot_vectors::key_paths_of_bip_341,
        taproot_vectors::script_paths_of_bip_341,
        taproot::taproot_hash_types_select_signed_parts,
        taproot::scripts_of_other_outputs,
        taproot::signatures_with_a_changed_byte,
        taproot::corrupted_inputs,
        taproot::other_witnesses,
        taproot::single_without_an_output,
        taproot::long_paths,
        taproot::data_after_a_key,
        taproot::other_scripts,
        taproot::where_taproot_is_in_force,
        damaged::witnesses_with_changed_bytes,
        damaged::spent_outputs_with_changed_bytes,
        damaged::files_cut_anywhere,
        damaged::files_with_changed_bytes,
        damaged::blocks_of_another_network,
        damaged::missing_files,
        records::bytes_between_records,
        records::broken_records,
        records::records_of_another_length,
        records::files_without_blocks,
        records::zeros_at_the_end,
        records::magics_of_custom_signets,
        records::keys_that_are_missing,
        blocks::blocks_that_are_not_whole,
        hostile::records_that_fit_no_block,
        hostile::magics_without_records,
        hostile::records_without_blocks,
        hostile::little_memory,
        hostile::blocks_and_outputs_that_are_too_many,
    ];
    on_every_engine("bitcoin", tests)
}
