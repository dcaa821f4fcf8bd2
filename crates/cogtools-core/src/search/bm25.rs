//! The ranking of tools for a query.
//!
//! Okapi BM25 over weighted fields: a token counts more if it is rare among the tools,
//! if it is in the name, and if the rest is short. A token that no tool has is replaced
//! by the most similar tokens of the tools.

use std::collections::BTreeMap;

use super::tokens::{similarity, tokens};
use crate::Tool;
use crate::suggest::nearest;

/// BM25's `k1`: how soon repetitions of a token stop to matter.
const SATURATION: f64 = 1.2;
/// BM25's `b`: how much a long description counts against a tool.
const LENGTH_WEIGHT: f64 = 0.5;
/// The weight of a token that is only similar to the query's.
const SIMILAR_WEIGHT: f64 = 0.5;
/// How many tokens of a query are used.
const MAX_QUERY_TOKENS: usize = 32;

/// The tokens of one tool, with their weights.
struct Document {
    tokens: BTreeMap<String, f64>,
    length: f64,
}

/// The indices of the `tools` that match `query`, best first. Ties keep their order,
/// as do all tools for a query without tokens.
pub(super) fn rank(query: &str, tools: &[Tool]) -> Vec<usize> {
    let mut query_tokens = tokens(query);
    query_tokens.truncate(MAX_QUERY_TOKENS);
    if query_tokens.is_empty() {
        return (0..tools.len()).collect();
    }
    let documents: Vec<Document> = tools.iter().map(Document::of).collect();
    let total: f64 = documents.iter().map(|document| document.length).sum();
    let average = (total / count(documents.len())).max(1.0);
    let mut scores = vec![0.0; documents.len()];
    for token in &query_tokens {
        for (score, more) in scores.iter_mut().zip(score(token, &documents, average)) {
            *score += more;
        }
    }
    let mut ranked: Vec<usize> = (0..tools.len())
        .filter(|index| scores.get(*index).is_some_and(|score| *score > 0.0))
        .collect();
    ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    ranked
}

/// The score of each document for one token of the query.
fn score(query_token: &str, documents: &[Document], average: f64) -> Vec<f64> {
    let mut frequencies = weighted_frequencies(documents, |token| similarity(query_token, token));
    if frequencies.iter().all(|frequency| *frequency == 0.0) {
        let mut all: Vec<&str> = documents
            .iter()
            .flat_map(|document| document.tokens.keys())
            .map(String::as_str)
            .collect();
        all.sort_unstable();
        all.dedup();
        let similar = nearest(query_token, all);
        frequencies = weighted_frequencies(documents, |token| {
            if similar.contains(&token) {
                SIMILAR_WEIGHT
            } else {
                0.0
            }
        });
    }
    let scoring = frequencies.iter().filter(|frequency| **frequency > 0.0);
    let matching = count(scoring.count());
    let rarity = (1.0 + (count(documents.len()) - matching + 0.5) / (matching + 0.5)).ln();
    let gain = |(frequency, document): (&f64, &Document)| {
        let length = 1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * document.length / average;
        rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION * length)
    };
    frequencies.iter().zip(documents).map(gain).collect()
}

/// For each document, the sum of its tokens' weights times their `similarity`.
fn weighted_frequencies(documents: &[Document], similarity: impl Fn(&str) -> f64) -> Vec<f64> {
    let frequency = |document: &Document| {
        let tokens = document.tokens.iter();
        tokens
            .map(|(token, weight)| weight * similarity(token))
            .sum()
    };
    documents.iter().map(frequency).collect()
}

impl Document {
    fn of(tool: &Tool) -> Self {
        let mut document = Self {
            tokens: BTreeMap::new(),
            length: 0.0,
        };
        document.add(tool.name().as_str(), 4.0);
        document.add(tool.title().unwrap_or_default(), 2.0);
        for capability in tool.capabilities() {
            document.add(&capability, 2.0);
        }
        document.add(tool.description(), 1.0);
        document
    }

    fn add(&mut self, text: &str, weight: f64) {
        for token in tokens(text) {
            *self.tokens.entry(token).or_default() += weight;
            self.length += 1.0;
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the number of tools fits in a double's mantissa"
)]
const fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    const TOOLS: [(&str, &str, &str); 6] = [
        ("deploy_site", "Puts the site on the servers", ""),
        (
            "git_commit",
            "Records changes of the working tree",
            "git.commit",
        ),
        (
            "git_push",
            "Sends commits to another repository",
            "git.push",
        ),
        ("facepalm", "Say what went wrong", "think.reflect"),
        ("weather", "Tells how the weather will be in a city", ""),
        ("wetter", "Sagt, wie das Wetter in 京都 wird", ""),
    ];

    #[track_caller]
    fn check(query: &str, expected: &[&str]) {
        let tools: Vec<Tool> = TOOLS
            .iter()
            .map(|(name, description, capability)| {
                let mut text =
                    format!("name: {name}\ndescription: {description:?}\nimplementation: a\n");
                if !capability.is_empty() {
                    text = format!("{text}capabilities: [{capability}]\n");
                }
                let text = Text::new(*name, text.into_bytes()).expect("it is text");
                Tool::parse(text).expect("it is a tool")
            })
            .collect();
        let ranked = rank(query, &tools);
        let found: Vec<&str> = ranked.iter().map(|index| TOOLS[*index].0).collect();
        assert_eq!(found, expected, "{query}");
    }

    #[test]
    fn the_best_match_comes_first() {
        check("git_push", &["git_push", "git_commit"]);
        check("commit", &["git_commit", "git_push"]);
        check(
            "Weather in the city",
            &["weather", "wetter", "deploy_site", "git_commit"],
        );
        check("reflect", &["facepalm"]);
        check("servers deploy", &["deploy_site"]);
        check("京都", &["wetter"]);
    }

    #[test]
    fn prefixes_and_typos_match() {
        check("weath", &["weather"]);
        check("facpalm", &["facepalm"]);
        check("deployment", &["deploy_site"]);
        check("reposotory", &["git_push"]);
    }

    #[test]
    fn a_query_without_tokens_returns_all_in_order() {
        let all = TOOLS.map(|(name, _, _)| name);
        check("", &all);
        check(" ?! ", &all);
        check("quux", &[]);
    }
}
