//! The most similar names to an unknown one.

use std::fmt::Display;

use crate::quoted_or;

/// Maximum number of characters of a name that are compared, which is quadratic in the length.
const MAX_NAME_CHARS: usize = 128;

/// The names among `known` that `unknown` was probably meant to be, best first, at
/// most three. Case and the difference between `-` and `_` are ignored.
pub fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let normalize = |name: &str| name.to_lowercase().replace('-', "_");
    let normalized = normalize(&unknown.chars().take(MAX_NAME_CHARS).collect::<String>());
    let length = normalized.chars().count();
    if length == 0 {
        return Vec::new();
    }
    let mut scored: Vec<(f64, &str)> = known
        .into_iter()
        .filter_map(|name| {
            let candidate = normalize(&name.chars().take(MAX_NAME_CHARS).collect::<String>());
            let ends = normalized.ends_with(&candidate) && candidate.len() >= 3;
            let prefix = candidate.starts_with(&normalized) && normalized.len() >= 3;
            // A large difference in length excludes similarity.
            let other = candidate.chars().count();
            let (short, long) = (length.min(other), length.max(other));
            if !prefix && !ends && short * 20 < long * 11 {
                return None;
            }
            let distance = strsim::normalized_damerau_levenshtein(&normalized, &candidate);
            let score = if prefix || ends {
                distance.max(0.7)
            } else {
                distance
            };
            (score >= 0.55).then_some((score, name))
        })
        .collect();
    scored.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// The names that an unknown one was probably meant to be, and the question for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The name as it is written.
    pub unknown: String,
    /// The names to write instead, best first.
    pub names: Vec<String>,
    question: String,
}

impl Suggestion {
    /// Suggests the most similar of `known`, if there are any.
    pub fn of<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        Self::new(unknown, &nearest(unknown, known))
    }

    /// Suggests these names, if there are any.
    pub fn new(unknown: &str, names: &[&str]) -> Option<Self> {
        Some(Self {
            unknown: unknown.to_owned(),
            question: suggestion(names)?,
            names: names.iter().map(ToString::to_string).collect(),
        })
    }

    /// The question: "did you mean …?".
    pub fn as_str(&self) -> &str {
        &self.question
    }
}

/// "did you mean …?" for the most similar of `known`, if there are any.
pub fn did_you_mean<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    suggestion(&nearest(unknown, known))
}

/// "did you mean …?" for these names, if there are any.
pub fn suggestion(names: &[impl Display]) -> Option<String> {
    (!names.is_empty()).then(|| format!("did you mean {}?", quoted_or(names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_names_come_first() {
        let known = ["description", "facepalm", "remarks", "what_happened", "x"];
        for (unknown, expected) in [
            ("desciption", vec!["description"]),
            ("Remark", vec!["remarks"]),
            ("what-happened", vec!["what_happened"]),
            ("discovered_tool_facepalm", vec!["facepalm"]),
            ("zzz", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(nearest(unknown, known), expected, "{unknown}");
        }
    }

    #[test]
    fn the_question_has_up_to_three_names() {
        assert_eq!(
            did_you_mean("aab", ["aaa", "aac", "aad", "aae"]).as_deref(),
            Some("did you mean `aaa`, `aac` or `aad`?"),
        );
        assert_eq!(did_you_mean("q", ["description"]), None);
    }
}
