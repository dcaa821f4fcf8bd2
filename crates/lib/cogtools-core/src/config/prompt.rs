//! The keys below `prompt`: what a model reads beside its task.

use std::path::PathBuf;

use serde_json::Value;

use super::Config;
use super::reader::Reader;
use crate::file::ReadScope;
use crate::yaml::{Data, Entry, Node};

/// What a model reads beside its task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PromptConfig {
    /// What the agent is.
    pub description: Option<String>,
    /// Roles that it takes.
    pub roles: Vec<String>,
    /// Rules that it follows.
    pub rules: Vec<String>,
    /// How it proceeds, step by step.
    pub procedure: Vec<String>,
    /// What it must not do.
    pub constraints: Vec<String>,
    /// What the whole session is for.
    pub session_goal: Option<String>,
    /// Files with instructions; absent if the default ones are meant.
    pub instructions: Option<Vec<ConfigFile>>,
    /// The template of the static layer.
    pub static_template: Option<ConfigFile>,
    /// The template of the dynamic layer.
    pub dynamic_template: Option<ConfigFile>,
    /// Files that the model should know.
    pub files: Vec<ConfigFile>,
    /// Files that the session is to make.
    pub artifacts: Vec<ConfigFile>,
    /// Things to do: texts or maps.
    pub todos: Vec<Value>,
}

/// A file that a configuration names.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigFile {
    /// The full path.
    pub path: PathBuf,
    /// The path as the user would write it.
    pub display_path: PathBuf,
    /// Where it may be.
    pub scope: ReadScope,
    /// Whether the user has named it and it is outside the project.
    pub is_users: bool,
}

/// The value of a key.
#[derive(Clone, Debug)]
enum PromptValue {
    Text(String),
    Texts(Vec<String>),
    File(ConfigFile),
    Files(Vec<ConfigFile>),
    Items(Vec<Value>),
}

impl PromptConfig {
    /// The keys below `prompt`.
    pub const KEYS: [&'static str; 12] = [
        "description",
        "roles",
        "rules",
        "procedure",
        "constraints",
        "session_goal",
        "instructions",
        "static",
        "dynamic",
        "files",
        "artifacts",
        "todos",
    ];

    fn set(&mut self, key: &str, value: PromptValue) {
        match (key, value) {
            ("description", PromptValue::Text(text)) => self.description = Some(text),
            ("session_goal", PromptValue::Text(text)) => self.session_goal = Some(text),
            ("roles", PromptValue::Texts(texts)) => self.roles = texts,
            ("rules", PromptValue::Texts(texts)) => self.rules = texts,
            ("procedure", PromptValue::Texts(texts)) => self.procedure = texts,
            ("constraints", PromptValue::Texts(texts)) => self.constraints = texts,
            ("static", PromptValue::File(file)) => self.static_template = Some(file),
            ("dynamic", PromptValue::File(file)) => self.dynamic_template = Some(file),
            ("instructions", PromptValue::Files(files)) => self.instructions = Some(files),
            ("files", PromptValue::Files(files)) => self.files = files,
            ("artifacts", PromptValue::Files(files)) => self.artifacts = files,
            (_, PromptValue::Items(items)) => self.todos = items,
            _ => {}
        }
    }
}

impl Config {
    /// What of `prompt` counts in a project that the user does not trust: only what the user has
    /// set, without files of the project.
    pub fn users_prompt(&self) -> PromptConfig {
        let mut prompt = self.users_prompt.clone();
        let is_users = |file: &ConfigFile| file.is_users;
        prompt.static_template = prompt.static_template.filter(is_users);
        prompt.dynamic_template = prompt.dynamic_template.filter(is_users);
        let mut instructions = prompt.instructions.unwrap_or_default();
        instructions.retain(is_users);
        prompt.instructions = Some(instructions);
        prompt.files.retain(is_users);
        prompt.artifacts.retain(is_users);
        prompt
    }
}

impl Reader<'_> {
    /// Reads the keys below `prompt`.
    pub(super) fn prompt(&mut self, entry: &Entry, config: &mut Config) {
        for entry in self.map("prompt", entry) {
            let key = format!("prompt.{}", entry.key);
            let value = match entry.key.as_str() {
                "description" | "session_goal" => {
                    let text = entry.value.text().map(str::to_owned);
                    if text.is_none() {
                        self.reject_value(&key, "a text", &entry.value);
                    }
                    text.map(PromptValue::Text)
                }
                "roles" | "rules" | "procedure" | "constraints" => {
                    Some(PromptValue::Texts(self.strings(&key, &entry.value)))
                }
                "static" | "dynamic" => self.file(&key, &entry.value).map(PromptValue::File),
                "instructions" | "files" | "artifacts" => {
                    self.files(&key, entry).map(PromptValue::Files)
                }
                "todos" => self.todos(entry).map(PromptValue::Items),
                _ => {
                    self.report_unknown_key(entry, &PromptConfig::KEYS);
                    None
                }
            };
            let Some(value) = value else { continue };
            if self.layer.is_user {
                config.users_prompt.set(&entry.key, value.clone());
            }
            config.prompt.set(&entry.key, value);
            config.set(self.setting(key, entry));
        }
    }

    fn files(&mut self, key: &str, entry: &Entry) -> Option<Vec<ConfigFile>> {
        let Data::List(items) = &entry.value.data else {
            self.reject_value(key, "a list of paths", &entry.value);
            return None;
        };
        items.iter().map(|item| self.file(key, item)).collect()
    }

    /// The file that `node` names, relative to the file of this layer.
    pub(super) fn file(&mut self, key: &str, node: &Node) -> Option<ConfigFile> {
        let Some(text) = node.text().filter(|text| !text.trim().is_empty()) else {
            self.reject_value(key, "the path of a file", node);
            return None;
        };
        match self.resolve(text) {
            Ok((path, display_path, is_users)) => Some(ConfigFile {
                scope: if is_users {
                    ReadScope::User
                } else {
                    ReadScope::project(&self.base.root)
                },
                path,
                display_path,
                is_users,
            }),
            Err(error) => {
                self.report(&error, node.span);
                None
            }
        }
    }

    fn todos(&mut self, entry: &Entry) -> Option<Vec<Value>> {
        let is_todo = |item: &Node| matches!(item.data, Data::Text { .. } | Data::Map(_));
        match &entry.value.data {
            Data::List(items) if items.iter().all(is_todo) => {
                Some(items.iter().map(Node::to_json).collect())
            }
            _ => {
                self.reject_value("prompt.todos", "a list of texts or maps", &entry.value);
                None
            }
        }
    }
}
