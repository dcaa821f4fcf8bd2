//! The policies that Gemini CLI reads: which tools it may call unasked.
//!
//! Names are matched whole. `*` alone is every tool and `mcp_*` forms are those
//! of servers; any other wildcard matches nothing, `discovered_tool_*` too.

use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A rule about a tool's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The name, or `*`.
    pub tool: String,
    /// What becomes of a call.
    pub decision: Decision,
    /// Among the rules of one scope, the larger one counts.
    pub priority: i64,
    /// The file it stands in.
    pub file: PathBuf,
    /// Which `[[rule]]` of the file it is of, counted from 0; one may name several.
    pub index: usize,
    /// Whether it counts only for some calls (by their arguments or the mode).
    pub narrowed: bool,
}

/// What becomes of a call that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is made unasked.
    Allow,
    /// It is refused, and the tool is hidden.
    Deny,
    /// The user is asked.
    AskUser,
}

/// What the files of some folders say.
#[derive(Clone, Debug, Default)]
pub struct Policies {
    /// Every rule, the one that counts most first.
    pub rules: Vec<Rule>,
    /// Files that Gemini CLI passes over, and why.
    pub broken: Vec<(PathBuf, String)>,
}

impl Policies {
    /// Reads every `.toml` in `folders`, those that count most first. A folder
    /// that is not there has none.
    pub fn read(folders: &[PathBuf]) -> Self {
        let mut policies = Self::default();
        for folder in folders {
            let mut rules = Vec::new();
            for file in files(folder) {
                match rules_of(&file) {
                    Ok(found) => rules.extend(found),
                    Err(why) => policies.broken.push((file, why)),
                }
            }
            rules.sort_by_key(|rule: &Rule| std::cmp::Reverse(rule.priority));
            policies.rules.extend(rules);
        }
        policies
    }

    /// The rule that decides on the tool of that name, without a terminal.
    pub fn decide(&self, tool: &str) -> Option<&Rule> {
        let mut rules = self.rules.iter().filter(|rule| !rule.narrowed);
        rules.find(|rule| rule.tool == tool || rule.tool == "*")
    }

    /// Rules whose wildcard matches nothing.
    pub fn void(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(|rule| is_void(&rule.tool))
    }

    /// The rule that allows `tools`, as a text to put into a file of policies.
    pub fn allowing<'t>(tools: impl IntoIterator<Item = &'t str>) -> String {
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

/// Whether `name` is a wildcard that matches nothing.
pub fn is_void(name: &str) -> bool {
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

fn rules_of(file: &Path) -> Result<Vec<Rule>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot be read: {error}"))?;
    let table: Table = text
        .parse()
        .map_err(|error: toml::de::Error| format!("is not TOML: {}", error.message()))?;
    let rules = match table.get("rule") {
        None => return Ok(Vec::new()),
        Some(Value::Array(rules)) => rules,
        Some(_) => return Err("`rule` is not a list: write `[[rule]]`".into()),
    };
    let mut found = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let wrong = |what: &str| format!("rule {}: {what}", index + 1);
        let decision = match rule.get("decision").and_then(Value::as_str) {
            Some("allow") => Decision::Allow,
            Some("deny") => Decision::Deny,
            Some("ask_user") => Decision::AskUser,
            _ => return Err(wrong("`decision` must be allow, deny or ask_user")),
        };
        let priority = rule.get("priority").and_then(Value::as_integer);
        let priority = priority.filter(|priority| (0..=999).contains(priority));
        let priority = priority.ok_or_else(|| wrong("`priority` must be from 0 to 999"))?;
        let names = names(rule).ok_or_else(|| wrong("`toolName` must be a name or a list"))?;
        let limits = ["argsPattern", "commandPrefix", "commandRegex", "modes"];
        let only = rule.get("interactive").and_then(Value::as_bool);
        let narrowed = only == Some(true)
            || rule.get("mcpName").is_some()
            || limits.iter().any(|key| rule.get(key).is_some());
        found.extend(names.into_iter().map(|tool| Rule {
            tool,
            decision,
            priority,
            file: file.to_path_buf(),
            index,
            narrowed,
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
