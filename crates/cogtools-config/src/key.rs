//! A key as the command line names it, with dots on the way to it.

use cogtools_core::suggest::did_you_mean;
use cogtools_core::{Code, Diagnostic, Target};

/// The lists of a filter.
const FILTER: [&str; 3] = ["tools", "exclude", "toolsets"];
/// What comes before the name of a rule.
const RULES: &str = "lint.rules";

/// A key that there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    segments: Vec<String>,
}

impl Key {
    /// Reads `text`; the name of a rule is whatever follows `lint.rules.`.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let rule = text
            .strip_prefix(RULES)
            .and_then(|rest| rest.strip_prefix('.'));
        if let Some(rule) = rule.filter(|rule| !rule.is_empty()) {
            let way = RULES.split('.').chain([rule]);
            let segments = way.map(str::to_owned).collect();
            return Ok(Self { segments });
        }
        let known = known();
        if known.iter().any(|key| key == text) {
            let segments = text.split('.').map(str::to_owned).collect();
            return Ok(Self { segments });
        }
        Err(Box::new(unknown(text, &known)))
    }

    /// The keys on the way to the value.
    pub(crate) fn segments(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// The key with its dots.
    pub(crate) fn name(&self) -> String {
        self.segments.join(".")
    }
}

/// Every key but those of rules, whose names only the linter knows.
fn known() -> Vec<String> {
    let filters = FILTER.map(|list| format!("filter.{list}"));
    let hosts = Target::NAMES.into_iter().flat_map(|host| {
        let keys = FILTER.into_iter().chain(["budget"]);
        keys.map(move |key| format!("hosts.{host}.{key}"))
    });
    let plain = ["tool_sources", "env_priority"].map(str::to_owned);
    let budget = ["budget".to_owned()];
    let all = plain.into_iter().chain(filters).chain(budget);
    all.chain(hosts).collect()
}

fn unknown(text: &str, known: &[String]) -> Diagnostic {
    let inside = |key: &&String| {
        let rest = key.strip_prefix(text);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let below: Vec<String> = known.iter().filter(inside).cloned().collect();
    if text == "lint" || text == RULES || text == "lint.rules." {
        let message = format!("`{text}` is a group of keys");
        return Diagnostic::new(Code::Usage, message)
            .hint("name one of them: `lint.rules.` and the name of a rule")
            .hint("cogtools lint --explain all lists the rules");
    }
    if !below.is_empty() {
        let names: Vec<String> = below.iter().map(|key| format!("`{key}`")).collect();
        return Diagnostic::new(Code::Usage, format!("`{text}` is a group of keys"))
            .hint(format!("name one of them: {}", names.join(", ")));
    }
    let diagnostic = Diagnostic::new(Code::Usage, format!("there is no key `{text}`"));
    let names = known.iter().map(String::as_str);
    // A key without the way to it is meant where it stands first.
    let last = |key: &&str| key.rsplit('.').next() == Some(text);
    let ends: Vec<&str> = names.clone().filter(last).collect();
    let meant = match ends.first() {
        Some(end) => Some(format!("did you mean `{end}`?")),
        None => did_you_mean(text, names.chain(["lint.rules"])),
    };
    match meant {
        Some(meant) => diagnostic.hint(meant),
        None => diagnostic.hint("cogtools help cogtoolrc lists the keys"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cogtools_core::text::Text;
    use cogtools_core::{Config, Origin, Project};
    use cogtools_program::render_hints;

    #[test]
    fn every_key_is_one_of_the_configuration() {
        let project = Project::find(std::path::Path::new("/"), None);
        let mut tops = Vec::new();
        for key in known().into_iter().chain(["lint.rules.a.b".to_owned()]) {
            let key = Key::parse(&key).expect("a known key");
            let value = match key.segments[0].as_str() {
                _ if key.name().ends_with("budget") => "1",
                "env_priority" => "process",
                "lint" => "off",
                _ => "[]",
            };
            let text = Text::new("VALUE", value.into()).expect("text");
            let origin = Origin::Project("FILE".into());
            let settings = Config::check(&project, text, &key.segments(), origin);
            let settings = settings.expect("a value that fits");
            assert_eq!(settings.len(), 1, "{settings:?}");
            assert_eq!(settings[0].key, key.name());
            tops.push(key.segments[0].clone());
        }
        tops.dedup();
        assert_eq!(tops, Config::KEYS);
    }

    #[test]
    fn a_key_that_is_none_is_explained() {
        for (text, expected) in [
            (
                "",
                "there is no key ``|cogtools help cogtoolrc lists the keys",
            ),
            (
                "env_prio",
                "there is no key `env_prio`|did you mean `env_priority`?",
            ),
            (
                "exclude",
                "there is no key `exclude`|did you mean `filter.exclude`?",
            ),
            (
                "filter",
                "`filter` is a group of keys|name one of them: `filter.tools`, `filter.exclude`, `filter.toolsets`",
            ),
            (
                "lint.rules.",
                "`lint.rules.` is a group of keys|name one of them: `lint.rules.` and the name of a rule|cogtools lint --explain all lists the rules",
            ),
            (
                "hosts.gemnii.tools",
                "there is no key `hosts.gemnii.tools`|did you mean `hosts.gemini.tools`, `hosts.gemini.toolsets` or `hosts.openai.tools`?",
            ),
        ] {
            let diagnostic = Key::parse(text).expect_err(text);
            let hints = render_hints(&diagnostic.hints).join("|");
            assert_eq!(format!("{}|{hints}", diagnostic.message), expected);
        }
    }
}
