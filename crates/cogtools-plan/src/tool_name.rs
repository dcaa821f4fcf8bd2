//! The names of tools in a plan.

/// The built-in tool that knows the time.
pub(crate) const CLOCK: &str = "get_current_date";
/// The built-in tool that runs JavaScript.
pub(crate) const RUN_JS: &str = "run_js";

/// The built-in tools, each with its other names.
const BUILT_IN: [(&str, &[&str]); 2] = [
    (CLOCK, &["clock.now", "time.now", "get_time"]),
    (RUN_JS, &["js.run_sandbox"]),
];

/// The tool's own name. Built-in tools have aliases, and their names ignore case; any other
/// name stays as it is.
pub(crate) fn resolve(name: &str) -> String {
    let name = name.trim();
    let matches = |other: &&str| other.eq_ignore_ascii_case(name);
    let found = BUILT_IN
        .iter()
        .find(|(own, aliases)| matches(own) || aliases.iter().any(matches));
    found.map_or(name, |(own, _)| own).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_of_built_in_tools_are_resolved_and_nothing_else_is() {
        for (name, expected) in [
            ("get_current_date", "get_current_date"),
            (" Clock.NOW ", "get_current_date"),
            ("time.now", "get_current_date"),
            ("GET_TIME", "get_current_date"),
            ("JS.Run_Sandbox", "run_js"),
            ("run_js", "run_js"),
            ("js.run", "js.run"),
            ("js_run_sandbox", "js_run_sandbox"),
            ("time_now", "time_now"),
            (" Math.Aggregate", "Math.Aggregate"),
            ("__proto__", "__proto__"),
        ] {
            assert_eq!(resolve(name), expected, "{name}");
        }
    }
}
