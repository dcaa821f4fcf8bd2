//! Which tools answer to a query, best first.
//!
//! Okapi BM25 over weighted fields: a word counts more the rarer it is among the
//! tools, the nearer to the name it stands and the shorter the rest is. A word
//! that no tool has is taken for the nearest ones that some tool has.

use std::collections::BTreeMap;

use super::tokens::{similarity, tokens};
use crate::Tool;
use crate::suggest::nearest;

/// How soon one more of the same word stops to matter.
const SATURATION: f64 = 1.2;
/// How much a long description counts against a tool.
const LENGTH: f64 = 0.5;
/// What a word is worth that is only near to the one that was asked for.
const NEAR: f64 = 0.5;
/// Of longer queries the rest is not looked at.
const MOST: usize = 32;

/// The words of one tool, each with what it weighs there.
struct Document {
    words: BTreeMap<String, f64>,
    length: f64,
}

/// The indices of the `tools` that answer to `query`, best first; those that
/// answer alike stay in order, and so do all for a query without words.
pub(super) fn rank(query: &str, tools: &[Tool]) -> Vec<usize> {
    let mut asked = tokens(query);
    asked.truncate(MOST);
    if asked.is_empty() {
        return (0..tools.len()).collect();
    }
    let documents: Vec<Document> = tools.iter().map(Document::of).collect();
    let total: f64 = documents.iter().map(|document| document.length).sum();
    let average = (total / count(documents.len())).max(1.0);
    let mut scores = vec![0.0; documents.len()];
    for word in &asked {
        for (score, more) in scores.iter_mut().zip(score(word, &documents, average)) {
            *score += more;
        }
    }
    let mut ranked: Vec<usize> = (0..tools.len())
        .filter(|index| scores.get(*index).is_some_and(|score| *score > 0.0))
        .collect();
    ranked.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
    ranked
}

/// What each of the documents gains by one `asked` word.
fn score(asked: &str, documents: &[Document], average: f64) -> Vec<f64> {
    let mut found = frequencies(documents, |word| similarity(asked, word));
    if found.iter().all(|frequency| *frequency == 0.0) {
        let all = documents.iter().flat_map(|document| document.words.keys());
        let mut all: Vec<&str> = all.map(String::as_str).collect();
        all.sort_unstable();
        all.dedup();
        let near = nearest(asked, all);
        found = frequencies(
            documents,
            |word| {
                if near.contains(&word) { NEAR } else { 0.0 }
            },
        );
    }
    let having = count(found.iter().filter(|frequency| **frequency > 0.0).count());
    let rarity = (1.0 + (count(documents.len()) - having + 0.5) / (having + 0.5)).ln();
    let gain = |(frequency, document): (&f64, &Document)| {
        let length = 1.0 - LENGTH + LENGTH * document.length / average;
        rarity * frequency * (SATURATION + 1.0) / (frequency + SATURATION * length)
    };
    found.iter().zip(documents).map(gain).collect()
}

fn frequencies(documents: &[Document], worth: impl Fn(&str) -> f64) -> Vec<f64> {
    let frequency = |document: &Document| {
        let words = document.words.iter();
        words.map(|(word, weight)| weight * worth(word)).sum()
    };
    documents.iter().map(frequency).collect()
}

impl Document {
    fn of(tool: &Tool) -> Self {
        let mut document = Self {
            words: BTreeMap::new(),
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
        for word in tokens(text) {
            *self.words.entry(word).or_default() += weight;
            self.length += 1.0;
        }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no project has more tools than a double counts"
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
    fn beginnings_and_slips_are_forgiven() {
        check("weath", &["weather"]);
        check("facpalm", &["facepalm"]);
        check("deployment", &["deploy_site"]);
        check("reposotory", &["git_push"]);
    }

    #[test]
    fn without_words_all_are_looked_at_in_order() {
        let all = TOOLS.map(|(name, _, _)| name);
        check("", &all);
        check(" ?! ", &all);
        check("quux", &[]);
    }
}
