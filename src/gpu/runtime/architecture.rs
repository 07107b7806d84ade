//! Compatibility of machine code between GPU architectures.

/// Architectures of boards whose GPU is part of the processor. CUDA guarantees no compatibility
/// between them and other GPUs, nor among them.
const ON_BOARDS: &[u32] = &[87, 88, 101];

/// Returns the other architectures whose machine code runs on this one, such as `sm_80` on `sm_86`,
/// nearest first. By CUDA's rule, code runs on later minor versions of its major version, and
/// nowhere else.
pub fn earlier_compatible(architecture: &str) -> Vec<String> {
    let number = architecture
        .strip_prefix("sm_")
        .and_then(|number| number.parse::<u32>().ok());
    let Some(number) = number.filter(|number| !ON_BOARDS.contains(number)) else {
        return Vec::new();
    };
    // The last digit is the minor version.
    let earlier = (number / 10 * 10..number)
        .rev()
        .filter(|number| !ON_BOARDS.contains(number));
    earlier.map(|number| format!("sm_{number}")).collect()
}

#[cfg(test)]
mod tests {
    use super::earlier_compatible;

    #[test]
    fn code_runs_on_later_minor_versions() {
        let nearest_first = [
            "sm_86", "sm_85", "sm_84", "sm_83", "sm_82", "sm_81", "sm_80",
        ];
        assert_eq!(earlier_compatible("sm_89"), nearest_first);
        assert_eq!(earlier_compatible("sm_86"), nearest_first[1..]);
        assert_eq!(earlier_compatible("sm_103"), ["sm_102", "sm_100"]);
        assert_eq!(earlier_compatible("sm_121"), ["sm_120"]);
    }

    #[test]
    fn code_does_not_run_on_other_major_versions_or_boards() {
        for architecture in [
            "sm_80", "sm_90", "sm_100", "sm_110", "sm_120", "sm_87", "sm_88", "sm_101",
        ] {
            assert!(
                earlier_compatible(architecture).is_empty(),
                "{architecture}"
            );
        }
        for no_number in ["", "sm_", "sm_90a", "90", "sm_99999999999"] {
            assert!(earlier_compatible(no_number).is_empty(), "{no_number}");
        }
    }
}
