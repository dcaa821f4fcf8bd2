//! The configuration below the command line.

use cogtools_agent::HistorySettings;
use cogtools_core::{AskHistory, Pattern, Threshold};

/// How much of a conversation is sent to a model that reads `context` tokens, if that is known.
pub(crate) fn history(history: AskHistory, context: Option<u64>) -> HistorySettings {
    let standard = HistorySettings::default();
    let tokens = |threshold: Option<Threshold>, standard| match threshold {
        Some(Threshold::Tokens(tokens)) => Some(tokens),
        Some(Threshold::Off) => None,
        None => standard,
    };
    // A summary is made while there is room for it.
    let half = context.map(|context| context / 2);
    HistorySettings {
        whole_results: history.whole_results.unwrap_or(standard.whole_results),
        result_tasks: history.result_tasks.unwrap_or(standard.result_tasks),
        cache_threshold: tokens(history.cache_threshold, standard.cache_threshold),
        cache_ttl: history.cache_ttl.unwrap_or(standard.cache_ttl),
        compact_at: tokens(history.compact_at, half.or(standard.compact_at)),
    }
}

/// The rules that ask, without the tools that the command line allows: it wins over the
/// configuration.
pub(crate) fn asking<'n>(
    ask: &[String],
    allow: &[String],
    names: impl Iterator<Item = &'n str>,
) -> Vec<String> {
    if allow.is_empty() {
        return ask.to_vec();
    }
    let matches = |rules: &[String], name: &str| {
        let mut rules = rules.iter();
        rules.any(|rule| Pattern::new(rule).matches(name))
    };
    let asks = |name: &&str| matches(ask, name) && !matches(allow, name);
    names.filter(asks).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_command_line_allows_is_not_asked() {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let names = ["greet", "git_log", "git_push"];
        let check = |ask: &[&str], allow: &[&str], expected: &[&str]| {
            let (ask, allow): (Vec<String>, Vec<String>) = (texts(ask), texts(allow));
            let expected: Vec<String> = texts(expected);
            assert_eq!(asking(&ask, &allow, names.into_iter()), expected);
        };
        check(&["*"], &[], &["*"]);
        check(&["*"], &["greet"], &["git_log", "git_push"]);
        check(&["git_push"], &["git_*"], &[]);
        check(&["git_*"], &["git_log"], &["git_push"]);
    }

    #[test]
    fn a_summary_is_made_when_half_of_the_context_is_full() {
        let compact_at = |compact_at, context| {
            let history = AskHistory {
                compact_at,
                ..AskHistory::default()
            };
            super::history(history, context).compact_at
        };
        assert_eq!(compact_at(None, None), Some(400_000));
        assert_eq!(compact_at(None, Some(100_000)), Some(50_000));
        assert_eq!(compact_at(Some(Threshold::Tokens(7)), Some(9)), Some(7));
        assert_eq!(compact_at(Some(Threshold::Off), Some(9)), None);
    }
}
