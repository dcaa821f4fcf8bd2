//! A key on the command line: a path with dots.

use cogtools_core::{Code, Config, Diagnostic};

/// The path of the lint rules.
const RULES: &str = "lint.rules";

/// A key of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    segments: Vec<String>,
}

impl Key {
    /// Reads `text`; the name of a rule is whatever follows `lint.rules.`: one that does not exist can
    /// be read and removed.
    pub(crate) fn parse(text: &str) -> Result<Self, Box<Diagnostic>> {
        let rule = text
            .strip_prefix(RULES)
            .and_then(|rest| rest.strip_prefix('.'));
        if let Some(rule) = rule.filter(|rule| !rule.is_empty()) {
            let segments = RULES.split('.').chain([rule]).map(str::to_owned).collect();
            return Ok(Self { segments });
        }
        let known = known_keys();
        if known.iter().any(|key| key == text) {
            let segments = text.split('.').map(str::to_owned).collect();
            return Ok(Self { segments });
        }
        Err(Box::new(unknown_key(text, &known)))
    }

    /// Every key except the rules.
    pub(crate) fn all() -> Vec<Self> {
        let keys = known_keys().into_iter();
        keys.map(|key| Self {
            segments: key.split('.').map(str::to_owned).collect(),
        })
        .collect()
    }

    /// Returns true if only the user's own file may set it.
    pub(crate) fn is_users_only(&self) -> bool {
        let name = self.name();
        let mut keys = Config::keys().into_iter();
        keys.any(|key| key.name == name && key.is_users_only)
    }

    /// The segments of the path.
    pub(crate) fn segments(&self) -> Vec<&str> {
        self.segments.iter().map(String::as_str).collect()
    }

    /// The path with its dots.
    pub(crate) fn name(&self) -> String {
        self.segments.join(".")
    }
}

/// Every key except the rules, whose names only the linter knows.
fn known_keys() -> Vec<String> {
    let keys = Config::keys().into_iter();
    let keys = keys.filter(|key| !key.is_group);
    keys.map(|key| key.name).collect()
}

fn unknown_key(text: &str, known: &[String]) -> Diagnostic {
    let is_inside = |key: &&String| {
        let rest = key.strip_prefix(text);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    let below: Vec<String> = known.iter().filter(is_inside).cloned().collect();
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
    // The last segment alone means the first key that ends with it.
    let by_last_segment = names
        .clone()
        .find(|key| key.rsplit('.').next() == Some(text));
    let otherwise = "cogtools help cogtoolrc lists the keys";
    match by_last_segment {
        Some(key) => diagnostic.hint(format!("did you mean `{key}`?")),
        None => diagnostic.meant_or(text, names.chain(["lint.rules"]), otherwise),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cogtools_core::owner;
    use cogtools_core::text::Text;
    use cogtools_core::{Origin, Project};
    use cogtools_program::render_hints;

    #[test]
    fn every_known_key_is_valid_in_the_configuration() {
        let project = Project::find(std::path::Path::new("/"), None, &owner::Owners::default());
        let mut tops = Vec::new();
        for key in known_keys()
            .into_iter()
            .chain(["lint.rules.a.b".to_owned()])
        {
            let key = Key::parse(&key).expect("a known key");
            let value = match key.segments[0].as_str() {
                _ if key.name().ends_with("budget") => "1",
                "hosts" if ["title", "instructions"].contains(&key.segments[2].as_str()) => "one",
                "env_priority" => "process",
                "locked" | "inherit" => "true",
                "sandbox" => "required",
                "lint" => "off",
                "limits" => "1048576",
                "ask" | "prompt" => sample(&key.name()),
                "capability_aliases" => "{web.search: search.web}",
                "skill" => "{git: Use it.}",
                "mcpServers" => "{}",
                _ => "[]",
            };
            let text = Text::new("VALUE", value.into()).expect("text");
            let origin = if key.is_users_only() {
                Origin::Home("FILE".into())
            } else {
                Origin::Project("FILE".into())
            };
            let settings =
                Config::check(&project, text, &key.segments(), origin).expect("a valid value");
            assert_eq!(settings.len(), 1, "{settings:?}");
            assert_eq!(settings[0].key, key.name());
            tops.push(key.segments[0].clone());
        }
        tops.dedup();
        let keys = Config::keys().into_iter().map(|key| key.name);
        let known: Vec<String> = keys.filter(|key| !key.contains('.')).collect();
        assert_eq!(tops, known);
    }

    /// A valid value of a key below `ask` or `prompt`.
    fn sample(key: &str) -> &'static str {
        match key.rsplit('.').next().expect("a segment") {
            "allow" | "ask" | "deny" | "roles" | "rules" | "procedure" | "constraints"
            | "instructions" | "files" | "artifacts" | "todos" => "[one]",
            "model" | "prices" | "static" | "dynamic" | "description" | "session_goal" => "one",
            "provider" => "openai",
            "aliases" => "{fast: one}",
            "base_url" => "http://127.0.0.1:1/v1",
            "temperature" => "0.5",
            _ => "60",
        }
    }

    #[test]
    fn an_unknown_key_has_a_hint() {
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
