//! The policies of Gemini CLI: which tools it may call without asking.
//!
//! Names are matched as a whole. `*` alone matches every tool, and `mcp_*` forms
//! match tools of servers; any other wildcard matches nothing, even
//! `discovered_tool_*`.

use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::ReadScope;
use cogtools_core::text::{Text, TextError};
use toml::{Table, Value};

/// A rule for a tool name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, or `*`.
    pub tool: String,
    /// The decision on a call.
    pub decision: Decision,
    /// The priority among the rules of one scope: the largest wins.
    pub priority: i64,
    /// The file that contains it.
    pub file: PathBuf,
    /// The index of its `[[rule]]` in the file, from 0; a `[[rule]]` may name several tools.
    pub index: usize,
    /// True if it applies to some calls only (by their arguments or the mode).
    pub is_conditional: bool,
}

/// The decision of a rule on a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The call is made without asking.
    Allow,
    /// The call is refused, and the tool is hidden.
    Deny,
    /// The user is asked.
    AskUser,
}

/// The rules in the files of some folders.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// All rules, in order of precedence.
    pub rules: Vec<Rule>,
    /// Files that Gemini CLI ignores, and why.
    pub ignored: Vec<(PathBuf, String)>,
}

impl Policies {
    /// Reads every `.toml` in `folders`, given in order of precedence. Missing folders
    /// are skipped.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut policies = Self::default();
        for folder in folders {
            let mut rules = Vec::new();
            for file in files(folder) {
                match parse_rules(&file) {
                    Ok(found) => rules.extend(found),
                    Err(why) => policies.ignored.push((file, why)),
                }
            }
            rules.sort_by_key(|rule: &Rule| std::cmp::Reverse(rule.priority));
            policies.rules.extend(rules);
        }
        policies
    }

    /// Returns the rule that applies to the tool `tool` without a terminal.
    pub fn decide(&self, tool: &str) -> Option<&Rule> {
        let mut rules = self.rules.iter().filter(|rule| !rule.is_conditional);
        rules.find(|rule| matches(&rule.tool, tool))
    }

    /// Returns the rules whose wildcard matches nothing.
    pub fn ineffective_rules(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| is_ineffective(&rule.tool))
    }

    /// Returns a rule that allows `tools`, as text for a policy file.
    pub fn allow_rule<'t>(tools: impl IntoIterator<Item = &'t str>) -> String {
        let names: Vec<String> = tools
            .into_iter()
            .map(|name| format!("  \"{name}\",\n"))
            .collect();
        format!(
            "[[rule]]\ntoolName = [\n{}]\ndecision = \"allow\"\npriority = 100\n",
            names.concat()
        )
    }
}

/// Returns true if the name in a rule matches the name of a tool. After the name of a server,
/// which has no underscores, a wildcard matches all its tools.
fn matches(pattern: &str, tool: &str) -> bool {
    let Some(prefix) = pattern.strip_suffix('*') else {
        return pattern == tool;
    };
    let is_of_servers = prefix == "mcp_" || prefix.starts_with("mcp_") && prefix.ends_with('_');
    prefix.is_empty() || is_of_servers && tool.starts_with(prefix)
}

/// Returns true if `name` is a wildcard that matches nothing.
pub fn is_ineffective(name: &str) -> bool {
    name.contains('*') && name != "*" && !name.starts_with("mcp_")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml") && path.is_file())
        .collect();
    files.sort_unstable();
    files
}

fn parse_rules(file: &Path) -> Result<Vec<Rule>, String> {
    let text = Text::read(file, file, &ReadScope::User).map_err(|error| match error {
        TextError::Io(_, error) => format!("cannot be read: {error}"),
        error => error.to_string(),
    })?;
    let table: Table = text
        .as_str()
        .parse()
        .map_err(|error: toml::de::Error| format!("is not TOML: {}", error.message()))?;
    let rules = match table.get("rule") {
        None => return Ok(Vec::new()),
        Some(Value::Array(rules)) => rules,
        Some(_) => return Err("`rule` is not a list: write `[[rule]]`".into()),
    };
    let mut found = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let error = |what: &str| format!("rule {}: {what}", index + 1);
        let decision = match rule.get("decision").and_then(Value::as_str) {
            Some("allow") => Decision::Allow,
            Some("deny") => Decision::Deny,
            Some("ask_user") => Decision::AskUser,
            _ => return Err(error("`decision` must be allow, deny or ask_user")),
        };
        let priority = rule
            .get("priority")
            .and_then(Value::as_integer)
            .filter(|priority| (0..=999).contains(priority))
            .ok_or_else(|| error("`priority` must be from 0 to 999"))?;
        let names = names(rule).ok_or_else(|| error("`toolName` must be a name or a list"))?;
        let limits = ["argsPattern", "commandPrefix", "commandRegex", "modes"];
        let only = rule.get("interactive").and_then(Value::as_bool);
        let is_conditional = only == Some(true)
            || rule.get("mcpName").is_some()
            || limits.iter().any(|key| rule.get(key).is_some());
        found.extend(names.into_iter().map(|tool| Rule {
            tool,
            decision,
            priority,
            file: file.to_path_buf(),
            index,
            is_conditional,
        }));
    }
    Ok(found)
}

fn names(rule: &Value) -> Option<Vec<String>> {
    match rule.get("toolName")? {
        Value::String(name) => Some(vec![name.clone()]),
        Value::Array(names) => names
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect(),
        _ => None,
    }
}
