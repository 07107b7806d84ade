//! A table of the conditions under which each option has an effect. Options that were given and
//! have no effect are refused.
//!
//! The table covers conditions that depend on the scheme. Conditions that depend on the input, such
//! as `--hash` if all items have digests, are checked by `input::effects` once the input is known.

use crate::curve::Scheme;
use clap::ArgMatches;
use clap::parser::ValueSource;

/// The condition under which an option has an effect.
#[derive(Clone, Copy)]
enum Effect {
    /// No condition: the option has an effect in every call of the command.
    Always,
    /// One of these schemes. The text explains why the option does not apply to the scheme in use,
    /// `{scheme}`.
    With(&'static [Scheme], &'static str),
    /// None: the option never has an effect, for the given reason. The command only has it because
    /// commands share options.
    Never(&'static str),
    /// Other options, or the input. The text names the code that refuses the option otherwise.
    Depends(#[allow(dead_code, reason = "for who reads the table")] &'static str),
}

use Effect::{Always, Depends, Never, With};
use Scheme::{Bip340, Ecdsa, Ed25519, Sm2};

const BY_CLAP: &str = "clap, by `requires`, `required_if_eq` or `conflicts_with`";
const BY_INPUT: &str = "input::effects";

/// Options of all commands on items.
const OF_ITEMS: &[(&str, Effect)] = &[
    ("inputs", Always),
    ("output", Always),
    ("sync", Depends("clap, and Output::require_sync")),
    ("format", Always),
    ("columns", Depends(BY_INPUT)),
    ("encoding", Depends(BY_INPUT)),
    ("output_format", Always),
    ("beside", Depends("StreamOptions::check_formats")),
    ("line", Always),
    ("only_rejected", Always),
    ("check", Always),
    ("allow_empty", Always),
];

/// Options for the printed messages and the engine.
const OF_ALL: &[(&str, Effect)] = &[
    ("verbose", Always),
    ("quiet", Always),
    ("summary", Depends(BY_CLAP)),
    ("engine", Always),
    ("threads", Always),
    ("max_memory", Always),
];

/// Options of commands that read messages.
const OF_MESSAGES: &[(&str, Effect)] = &[
    (
        "hash",
        With(
            &[Ecdsa],
            "--hash is for ECDSA: {scheme} has a hash of its own",
        ),
    ),
    ("text_messages", Depends(BY_INPUT)),
];

/// Options of commands that read signatures.
const OF_SIGNATURES: &[(&str, Effect)] = &[
    (
        "form",
        With(
            &[Ecdsa, Sm2],
            "--signature-form is for ECDSA and SM2: signatures of BIP 340 and Ed25519 have 64 bytes",
        ),
    ),
    (
        "decimal",
        With(&[Ecdsa, Sm2], "--decimal is for r and s of ECDSA and SM2"),
    ),
];

/// Options of commands that read public keys.
const OF_PUBLIC_KEYS: &[(&str, Effect)] = &[(
    "hybrid_keys",
    With(
        &[Ecdsa, Sm2],
        "--hybrid-keys is for ECDSA and SM2: keys of BIP 340 and Ed25519 have no such form",
    ),
)];

const OF_VARIANTS: &[(&str, Effect)] = &[
    (
        "context",
        With(
            &[Ed25519],
            "--context and --prehashed are for --scheme ed25519",
        ),
    ),
    (
        "prehashed",
        With(
            &[Ed25519],
            "--context and --prehashed are for --scheme ed25519",
        ),
    ),
    (
        "sm2_id",
        With(&[Sm2], "--sm2-id is for SM2: {scheme} has no user ids"),
    ),
];

/// Options for the form of points.
const OF_FORMS: &[(&str, Effect)] = &[("form", Depends(BY_CLAP)), ("truncate", Depends(BY_CLAP))];

/// Options of commands on chains.
const OF_CHAINS: &[(&str, Effect)] = &[
    ("paths", Depends(BY_CLAP)),
    ("output", Always),
    ("sync", Depends("clap, and Output::require_sync")),
    ("output_format", Always),
    ("only_rejected", Always),
    ("timings", Depends(BY_CLAP)),
];

const OF_RANGES: &[(&str, Effect)] = &[("from", Always), ("to", Always)];

/// The options of every command.
const COMMANDS: &[(&str, &[&[(&str, Effect)]])] = &[
    (
        "verify",
        &[
            OF_ALL,
            OF_ITEMS,
            OF_MESSAGES,
            OF_SIGNATURES,
            OF_PUBLIC_KEYS,
            OF_VARIANTS,
            &[
                ("curve", Depends("ChosenScheme::of")),
                ("scheme", Depends("ChosenScheme::of")),
                ("rule", With(&[Ed25519], "--rule is for --scheme ed25519")),
                (
                    "low_s",
                    With(
                        &[Ecdsa],
                        "--low-s does not exist for {scheme}: n - s signs nothing there",
                    ),
                ),
                (
                    "batch_verification",
                    With(
                        &[Ecdsa, Bip340, Ed25519],
                        "--batch-verification is for ECDSA, BIP 340 and Ed25519: SM2 has none",
                    ),
                ),
            ],
        ],
    ),
    (
        "recover",
        &[
            OF_ALL,
            OF_ITEMS,
            OF_MESSAGES,
            OF_SIGNATURES,
            &[
                ("curve", Always),
                (
                    "addresses",
                    Depends("commands::signatures::recover, by the curve"),
                ),
            ],
        ],
    ),
    (
        "sign",
        &[
            OF_ALL,
            OF_ITEMS,
            OF_MESSAGES,
            OF_VARIANTS,
            &[
                ("curve", Depends("ChosenScheme::of")),
                ("scheme", Depends("ChosenScheme::of")),
                ("key_file", Always),
                ("check_signatures", Always),
                (
                    "auxiliary",
                    With(
                        &[Bip340],
                        "--auxiliary is for BIP 340; ECDSA and SM2 have --additional-data",
                    ),
                ),
                (
                    "additional_data",
                    With(
                        &[Ecdsa, Sm2],
                        "--additional-data is for ECDSA and SM2; BIP 340 has --auxiliary, and nonces of Ed25519 follow \
                         from seed and message",
                    ),
                ),
                (
                    "recoverable",
                    With(
                        &[Ecdsa],
                        "--recoverable is for ECDSA; {scheme} has no recovery id",
                    ),
                ),
                (
                    "der",
                    With(
                        &[Ecdsa, Sm2],
                        "--der is for ECDSA and SM2: signatures of {scheme} have no DER",
                    ),
                ),
            ],
        ],
    ),
    (
        "ecdh",
        &[
            OF_ALL,
            OF_ITEMS,
            &[
                ("curve", Always),
                (
                    "accept_all_zero",
                    Depends("commands::keys::ecdh, by the curve"),
                ),
                ("hybrid_keys", Depends("commands::keys::ecdh, by the curve")),
                ("key_file", Always),
            ],
        ],
    ),
    (
        "mask",
        &[
            OF_ALL,
            OF_ITEMS,
            OF_FORMS,
            &[
                ("suite", Depends(BY_CLAP)),
                ("curve", Depends(BY_CLAP)),
                ("dst", Depends("commands::masks::tag, by the suite")),
                ("key_file", Always),
                ("text_messages", Depends(BY_CLAP)),
            ],
        ],
    ),
    (
        "unmask",
        &[
            OF_ALL,
            OF_ITEMS,
            OF_FORMS,
            &[("curve", Always), ("key_file", Always)],
        ],
    ),
    (
        "pubkey",
        &[
            OF_ALL,
            &[
                ("curve", Depends("ChosenScheme::of")),
                ("scheme", Depends("ChosenScheme::of")),
                (
                    "compressed",
                    With(
                        &[Ecdsa, Sm2, Bip340],
                        "--compressed is for points: public keys of {scheme} have 32 bytes",
                    ),
                ),
                (
                    "encoding",
                    Never(
                        "--encoding is for public values: private keys are hexadecimal, or in a form that names itself",
                    ),
                ),
            ],
            OF_ITEMS,
        ],
    ),
    (
        "ethereum senders",
        &[
            OF_ALL,
            OF_CHAINS,
            OF_RANGES,
            &[
                ("rpc_url", Depends(BY_CLAP)),
                ("chain_id", Always),
                ("state", Depends("commands::ethereum")),
                ("skip_roots", Always),
                ("at_block", Depends(BY_CLAP)),
            ],
        ],
    ),
    (
        "bitcoin verify",
        &[
            OF_ALL,
            OF_CHAINS,
            OF_RANGES,
            &[
                ("rest_url", Depends(BY_CLAP)),
                ("state", Depends(BY_CLAP)),
                ("batch_verification", Always),
                ("magic", Depends(BY_CLAP)),
            ],
        ],
    ),
    (
        "bitcoin index",
        &[
            OF_ALL,
            OF_RANGES,
            &[
                ("paths", Depends(BY_CLAP)),
                ("rest_url", Depends(BY_CLAP)),
                ("output", Always),
                ("full_outputs", Always),
                ("sync", Depends("Output::require_sync")),
                ("magic", Depends(BY_CLAP)),
            ],
        ],
    ),
    (
        "bitcoin scan",
        &[
            OF_ALL,
            &[
                ("tables", Always),
                ("key_file", Always),
                ("labels", Always),
                ("output", Always),
            ],
        ],
    ),
    (
        "certificates",
        &[
            OF_ALL,
            OF_CHAINS,
            &[
                ("sm2_id", Depends("commands::certificates")),
                ("exact_names", Always),
            ],
        ],
    ),
    (
        "bench",
        &[
            OF_ALL,
            &[
                ("curve", Always),
                ("items", Always),
                ("json", Always),
                ("operations", Depends("commands::bench, by the curve")),
            ],
        ],
    ),
    (
        "kernels build",
        &[OF_ALL, &[("arch", Always), ("out", Always)]],
    ),
    (
        "kernels pack",
        &[OF_ALL, &[("arch", Always), ("out", Always)]],
    ),
    (
        "doctor",
        &[
            OF_ALL,
            &[("kernels", Always), ("report", Always), ("json", Always)],
        ],
    ),
    ("completions", &[OF_ALL, &[("shell", Always)]]),
    ("man", &[OF_ALL, &[("folder", Always)]]),
];

/// The options given in a call, with its command.
pub struct GivenOptions {
    command: String,
    /// The options that were written on the command line rather than left at their defaults.
    options: Vec<String>,
}

impl GivenOptions {
    /// Collects the options from the parsed arguments of the program.
    pub fn of(matches: &ArgMatches) -> Self {
        let mut command = String::new();
        let mut options = Vec::new();
        let mut level = Some(matches);
        while let Some(matches) = level {
            for id in matches.ids().map(clap::Id::as_str) {
                if matches.value_source(id) == Some(ValueSource::CommandLine) {
                    options.push(id.to_owned());
                }
            }
            level = matches.subcommand().map(|(name, matches)| {
                let space = if command.is_empty() { "" } else { " " };
                command.push_str(space);
                command.push_str(name);
                matches
            });
        }
        GivenOptions { command, options }
    }

    /// Refuses options that have no effect with a scheme.
    pub fn require_effect_with(&self, scheme: Scheme) -> Result<(), String> {
        self.require_effects(scheme.name(), |schemes| schemes.contains(&scheme))
    }

    /// Refuses options that have no effect with keys of X25519: all that are for schemes of
    /// signatures.
    pub fn require_effect_with_x25519(&self) -> Result<(), String> {
        self.require_effects("X25519", |_| false)
    }

    /// Refuses options without an effect. `applies` is whether options of some schemes have one,
    /// and `name` is that of the scheme in use.
    fn require_effects(
        &self,
        name: &str,
        applies: impl Fn(&[Scheme]) -> bool,
    ) -> Result<(), String> {
        self.options
            .iter()
            .try_for_each(|option| match effect(&self.command, option) {
                Some(With(schemes, reason)) if !applies(schemes) => {
                    Err(reason.replace("{scheme}", name))
                }
                Some(Never(reason)) => Err(reason.to_owned()),
                _ => Ok(()),
            })
    }
}

/// Returns the first matching entry: a command may override the entry of an option that it shares
/// with others.
fn effect(command: &str, option: &str) -> Option<Effect> {
    let (_, lists) = COMMANDS.iter().find(|(name, _)| *name == command)?;
    lists
        .iter()
        .flat_map(|list| list.iter())
        .find(|(name, _)| *name == option)
        .map(|(_, effect)| *effect)
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::*;
    use clap::{Arg, ArgAction, Command, CommandFactory, ValueEnum};
    use gecc::CurveId;
    use gecc::call::Operation;
    use gecc::ecdsa::{Policy, SForm};
    use gecc::ed25519::Rule;

    /// Collects every command without subcommands, by its path.
    fn commands(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
        for sub in command
            .get_subcommands()
            .filter(|sub| sub.get_name() != "help")
        {
            let path = format!(
                "{path}{}{}",
                if path.is_empty() { "" } else { " " },
                sub.get_name()
            );
            if sub.has_subcommands() {
                commands(sub, &path, found);
            } else {
                found.push((path, sub.clone()));
            }
        }
    }

    fn all_commands() -> Vec<(String, Command)> {
        let mut root = Arguments::command();
        let mut found = Vec::new();
        root.build();
        commands(&root, "", &mut found);
        if cfg!(not(feature = "arrow")) {
            // They only report the missing feature.
            found.retain(|(path, _)| !["bitcoin index", "bitcoin scan"].contains(&path.as_str()));
        }
        found
    }

    fn options(command: &Command) -> impl Iterator<Item = &Arg> {
        command
            .get_arguments()
            .filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version"))
    }

    #[test]
    fn every_option_of_every_command_is_in_the_table() {
        let all = all_commands();
        for (path, command) in &all {
            for option in options(command) {
                assert!(
                    effect(path, option.get_id().as_str()).is_some(),
                    "gecc {path}: {}",
                    option.get_id()
                );
            }
        }
        // The table has no other entries, except options common to all commands and parts that are
        // not compiled in.
        for (path, lists) in COMMANDS {
            let Some((_, command)) = all.iter().find(|(name, _)| name == path) else {
                let has_all = cfg!(all(feature = "arrow", feature = "chains"));
                assert_eq!((path, has_all), (path, false));
                continue;
            };
            let own = lists
                .iter()
                .flat_map(|list| list.iter())
                .map(|(option, _)| *option);
            for option in own.filter(|option| !OF_ALL.iter().any(|(name, _)| name == option)) {
                assert!(
                    options(command).any(|arg| arg.get_id().as_str() == option),
                    "gecc {path}: {option}"
                );
            }
        }
    }

    /// Returns a value that an option accepts: the default, if there is one.
    fn value(option: &Arg) -> Option<String> {
        if !matches!(option.get_action(), ArgAction::Set | ArgAction::Append) {
            return None;
        }
        let default = option
            .get_default_values()
            .first()
            .map(|value| value.to_string_lossy().into_owned());
        let possible = option
            .get_possible_values()
            .first()
            .map(|value| value.get_name().to_owned());
        let typed = match option.get_id().as_str() {
            "auxiliary" | "additional_data" => Some("ab".repeat(32)),
            "context" | "sm2_id" => Some("00".to_owned()),
            "encoding" => Some("hex".to_owned()),
            _ => None,
        };
        Some(
            default
                .or(typed)
                .or(possible)
                .expect("a value for the option"),
        )
    }

    /// Returns verification and signing with a scheme.
    fn operations(scheme: Scheme) -> [(&'static str, Operation); 2] {
        let (verify, sign) = match scheme {
            Ecdsa => (
                Operation::EcdsaVerify(CurveId::P256, Policy::default()),
                Operation::EcdsaSign(CurveId::P256, SForm::default()),
            ),
            Sm2 => (Operation::Sm2Verify, Operation::Sm2Sign),
            Bip340 => (Operation::Bip340Verify, Operation::Bip340Sign),
            Ed25519 => (
                Operation::Ed25519Verify(Rule::Strict),
                Operation::Ed25519Sign,
            ),
        };
        [("verify", verify), ("sign", sign)]
    }

    /// Options of operations have an effect with the schemes whose operations use them.
    #[test]
    fn schemes_of_options_are_those_of_the_library() {
        for scheme in Scheme::value_variants() {
            for (command, operation) in operations(*scheme) {
                let applies = |option| match effect(command, option) {
                    Some(With(schemes, _)) => schemes.contains(scheme),
                    _ => false,
                };
                let reads = operation.reads();
                let has_forms = reads.signatures && !reads.bare_signatures;
                assert_eq!(applies("hash"), operation.uses_hash());
                assert_eq!(applies("context"), operation.uses_variant());
                assert_eq!(applies("prehashed"), operation.uses_variant());
                assert_eq!(applies("sm2_id"), reads.user_ids);
                assert_eq!(applies("form"), has_forms);
                assert_eq!(applies("decimal"), has_forms);
                assert_eq!(
                    applies("auxiliary") || applies("additional_data"),
                    operation.uses_additional()
                );
            }
        }
    }

    /// Options that depend on the scheme, each given with its default value or another, are refused
    /// with exactly those schemes to which they do not apply.
    #[test]
    fn options_without_an_effect_are_refused_with_every_scheme() {
        let all = all_commands();
        let mut refused = 0;
        let mut taken = 0;
        for (path, command) in all
            .iter()
            .filter(|(_, command)| options(command).any(|arg| arg.get_id() == "scheme"))
        {
            for scheme in Scheme::value_variants() {
                let name = scheme.to_possible_value().unwrap().get_name().to_owned();
                for option in options(command) {
                    let expected = match effect(path, option.get_id().as_str()) {
                        Some(With(schemes, _)) => schemes.contains(scheme),
                        Some(Never(_)) => false,
                        _ => continue,
                    };
                    let long = format!("--{}", option.get_long().unwrap());
                    let mut arguments = vec!["gecc", path, "--scheme", &name, &long];
                    if *scheme == Ecdsa {
                        arguments.extend(["--curve", "p256"]);
                    }
                    let mut arguments: Vec<String> =
                        arguments.into_iter().map(str::to_owned).collect();
                    // An option that may be a list would consume the following arguments.
                    let at = arguments
                        .iter()
                        .position(|argument| *argument == long)
                        .unwrap();
                    if let Some(value) = value(option) {
                        arguments.insert(at + 1, value);
                    }
                    let matches = Arguments::command().try_get_matches_from(&arguments);
                    let matches =
                        matches.unwrap_or_else(|problem| panic!("{arguments:?}: {problem}"));
                    let answer = GivenOptions::of(&matches).require_effect_with(*scheme);
                    assert_eq!(answer.is_ok(), expected, "{arguments:?}");
                    match answer {
                        Ok(()) => taken += 1,
                        Err(problem) => {
                            assert!(problem.contains(&long), "{problem}");
                            refused += 1;
                        }
                    }
                }
                // An option that is not given is not refused, whatever its default.
                let arguments = ["gecc", path, "--scheme", &name, "--curve", "secp256k1"];
                let matches = Arguments::command()
                    .try_get_matches_from(arguments)
                    .unwrap();
                assert_eq!(
                    GivenOptions::of(&matches).require_effect_with(*scheme),
                    Ok(())
                );
            }
        }
        assert!(refused >= 30 && taken >= 15, "{refused} {taken}");
    }
}
