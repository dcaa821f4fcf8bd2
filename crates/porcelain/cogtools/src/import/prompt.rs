//! Prompts that were written for one host, as tool files: custom commands of Gemini CLI, slash
//! commands of Claude Code, `.prompt` and `.prompty`.
//!
//! The parts that a tool file cannot say stay in the text as they were written, and notes name
//! them.

use std::path::Path;

use cogtools_core::Name;
use cogtools_core::source::Skills;
use cogtools_edit::toml;
use serde_json::{Map, Value, json};

/// A tool file, and a note for each part of the prompt that it leaves out.
pub(super) type Imported = (Value, Vec<String>);

/// Makes a tool file of the prompt `text` in a file of that name.
pub(super) fn import(file: &Path, text: &str) -> Result<Imported, String> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let name = name_of(&stem);
    match file.extension().and_then(|it| it.to_str()) {
        Some("toml") => gemini(&name, text),
        Some("md") => claude(&name, text),
        Some("prompt") => dotprompt(&name, text),
        Some("prompty") => prompty(&name, text),
        _ => Err("its name ends in neither .toml, .md, .prompt nor .prompty".to_owned()),
    }
}

/// Returns the name of a tool for a file with this stem.
pub(super) fn name_of(stem: &str) -> String {
    let is_valid = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = stem
        .chars()
        .map(|c| if is_valid(c) { c } else { '_' })
        .take(Name::MAX_LENGTH)
        .collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        return format!("run_{name}");
    }
    name
}

/// A brace, as a template prints it.
const BRACE: &str = "{{ '{' }}";

/// Names without arguments in the text of Dotprompt that are no parameters.
const HELPERS: [&str; 3] = ["else", "this", "history"];

/// The text of a template, built from parts of a prompt.
#[derive(Default)]
struct Body {
    template: String,
    parameters: Map<String, Value>,
    notes: Vec<String>,
}

impl Body {
    /// Adds text that is no template here.
    fn text(&mut self, text: &str) {
        let marks = ["{{", "{%", "{#"];
        if !marks.iter().any(|mark| text.contains(mark)) {
            self.template.push_str(text);
        } else if text.contains("endraw") {
            // It would end the block.
            self.template.push_str(&text.replace('{', BRACE));
        } else {
            self.code(&format!("{{% raw %}}{text}{{% endraw %}}"));
        }
    }

    /// Adds code, which a brace before it does not become a part of.
    fn code(&mut self, code: &str) {
        if self.template.ends_with('{') {
            self.template.pop();
            self.template.push_str(BRACE);
        }
        self.template.push_str(code);
    }

    /// Adds the value of a parameter.
    fn parameter(&mut self, name: &str, description: &str) {
        self.value(name);
        self.declare(name, description);
    }

    fn value(&mut self, name: &str) {
        self.code(&format!("{{{{ {name} }}}}"));
    }

    fn declare(&mut self, name: &str, description: &str) {
        let optional = json!({"type": "string", "description": description, "default": ""});
        self.parameters.entry(name.to_owned()).or_insert(optional);
    }

    /// Keeps text that has another meaning for its host.
    fn keep(&mut self, text: &str, what: &str) {
        self.text(text);
        self.notes
            .push(format!("kept as text: {what} {}", text.trim()));
    }

    fn tool(self, name: &str, description: &str) -> Imported {
        let description = match description.split_whitespace().collect::<Vec<_>>().join(" ") {
            text if text.is_empty() => format!("TODO: say when to call {name}"),
            text => text,
        };
        let mut document = json!({"name": name, "description": description});
        if !self.parameters.is_empty() {
            document["parameters"] = self.parameters.into();
        }
        document["implementation"] = self.template.into();
        (document, self.notes)
    }
}

/// Names the keys of `fields` that are not among `known`, without their values: one may be a secret.
fn unsaid(fields: &Value, known: &[&str], notes: &mut Vec<String>) {
    let keys = fields.as_object().into_iter().flat_map(Map::keys);
    let keys = keys.filter(|key| !known.contains(&key.as_str()));
    notes.extend(keys.map(|key| format!("left out: {key}")));
}

/// A custom command of Gemini CLI: `{{args}}`, `!{command}`, `@{file}`.
fn gemini(name: &str, text: &str) -> Result<Imported, String> {
    let fields = toml::read(Path::new(name), text).map_err(|_| "it is not valid TOML")?;
    let prompt = fields["prompt"].as_str().ok_or("it has no text `prompt`")?;
    let mut body = Body::default();
    let mut rest = prompt;
    let args = "What the user has written after the command";
    while let Some(at) = ["{{args}}", "!{", "@{"]
        .iter()
        .filter_map(|it| rest.find(it))
        .min()
    {
        body.text(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{args}}") {
            body.parameter("args", args);
            rest = after;
            continue;
        }
        let length = closing(rest).unwrap_or(rest.len());
        let what = if rest.starts_with('!') {
            "the command"
        } else {
            "the file"
        };
        body.keep(&rest[..length], what);
        rest = &rest[length..];
    }
    body.text(rest);
    if !prompt.contains("{{args}}") {
        // The host appends them.
        body.code("{% if args %}\n\n{{ args }}{% endif %}");
        body.declare("args", args);
    }
    unsaid(&fields, &["prompt", "description"], &mut body.notes);
    Ok(body.tool(name, fields["description"].as_str().unwrap_or_default()))
}

/// Returns the length of `!{…}` or `@{…}` at the beginning of `text`, with braces in it.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => return None,
        }
        (depth == 0).then_some(at + 1)
    })
}

/// A slash command of Claude Code: `$ARGUMENTS`, `$1`, `` !`command` ``, `@file`.
fn claude(name: &str, text: &str) -> Result<Imported, String> {
    let (fields, prompt) = front_matter(text)?;
    let mut body = Body::default();
    let hint = fields["argument-hint"]
        .as_str()
        .unwrap_or("What the user has written after it");
    let mut rest = prompt.trim();
    let mut has_arguments = false;
    while let Some(at) = rest.find(['$', '!', '@']) {
        let (before, from) = rest.split_at(at);
        body.text(before);
        let is_word_start = before.is_empty() || before.ends_with(|c: char| c.is_whitespace());
        let digit = from[1..].chars().next().filter(char::is_ascii_digit);
        let length = if let Some(after) = from.strip_prefix("$ARGUMENTS") {
            body.parameter("arguments", hint);
            has_arguments = true;
            from.len() - after.len()
        } else if let (true, Some(digit)) = (from.starts_with('$'), digit) {
            body.parameter(
                &format!("argument_{digit}"),
                &format!("Argument {digit}: {hint}"),
            );
            has_arguments = true;
            2
        } else if let Some(command) = from.strip_prefix("!`") {
            let length = command.find('`').map_or(from.len(), |end| end + 3);
            body.keep(&from[..length], "the command");
            length
        } else if from.starts_with('@') && is_word_start {
            let length = from.find(char::is_whitespace).unwrap_or(from.len());
            body.keep(&from[..length], "the file");
            length
        } else {
            body.text(&from[..1]);
            1
        };
        rest = &from[length..];
    }
    body.text(rest);
    if !has_arguments {
        body.code("{% if arguments %}\n\nARGUMENTS: {{ arguments }}{% endif %}");
        body.declare("arguments", hint);
    }
    body.template.push('\n');
    let known = ["description", "argument-hint", "name"];
    unsaid(&fields, &known, &mut body.notes);
    Ok(body.tool(name, fields["description"].as_str().unwrap_or_default()))
}

/// Reads a field of Picoschema, such as `tags?(array, the labels): string`, as a parameter with its
/// name.
fn field(key: &str, value: &Value, notes: &mut Vec<String>) -> (String, Map<String, Value>) {
    let (head, form) = key.split_once('(').unwrap_or((key, ""));
    let name = head.trim().trim_end_matches('?').to_owned();
    let split = |text: &str| {
        let (kind, description) = text.split_once(',').unwrap_or((text, ""));
        (kind.trim().to_owned(), Value::from(description.trim()))
    };
    let (form, about) = split(form.trim_end_matches(')'));
    let (kind, own) = split(value.as_str().unwrap_or_default());
    let property = match value {
        Value::Array(values) if !values.is_empty() => json!({ "enum": values }),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(key, value)| field(key, value, notes));
            let properties: Map<_, _> = fields.map(|(name, it)| (name, it.into())).collect();
            json!({"type": "object", "properties": properties})
        }
        _ if ["string", "number", "integer", "boolean"].contains(&kind.as_str()) => {
            json!({ "type": kind })
        }
        _ => {
            notes.push(format!("left out: the type {kind} of {name}"));
            json!({"type": "string"})
        }
    };
    let mut property = property.as_object().cloned().unwrap_or_default();
    if own != "" {
        property.insert("description".to_owned(), own);
    }
    match form.as_str() {
        "" | "enum" | "object" => {}
        "array" => {
            let items = std::mem::take(&mut property);
            property.insert("type".to_owned(), form.into());
            property.insert("items".to_owned(), items.into());
        }
        _ => notes.push(format!("left out: the form ({form}) of {name}")),
    }
    if about != "" {
        property.insert("description".to_owned(), about);
    }
    if head.trim().ends_with('?') {
        property.insert("optional".to_owned(), true.into());
    }
    (name, property)
}

/// A `.prompt` of Genkit and Firebase: an agent with Handlebars.
fn dotprompt(name: &str, text: &str) -> Result<Imported, String> {
    let (fields, prompt) = front_matter(text)?;
    let mut notes = Vec::new();
    let mut parameters = Map::new();
    let schema = fields.pointer("/input/schema").and_then(Value::as_object);
    for (key, kind) in schema.into_iter().flatten() {
        let (name, mut property) = field(key, kind, &mut notes);
        let default = fields.pointer("/input/default");
        if let Some(default) = default.and_then(|it| it.get(&name)) {
            property.remove("optional");
            property.insert("default".to_owned(), default.clone());
        }
        parameters.insert(name, property.into());
    }
    let declared: Vec<&str> = parameters.keys().map(String::as_str).collect();
    unsaid(&fields["input"]["default"], &declared, &mut notes);
    unsaid(&fields["input"], &["schema", "default"], &mut notes);
    let (mut system, mut user) = (Body::default(), Body::default());
    let mut is_system = false;
    // The number of blocks around, in which a name is of an item.
    let mut depth = 0_usize;
    let mut rest = prompt.trim();
    while let Some(at) = rest.find("{{") {
        let body = if is_system { &mut system } else { &mut user };
        body.text(&rest[..at]);
        let mark = if rest[at..].starts_with("{{{") {
            "}}}"
        } else {
            "}}"
        };
        let end = rest[at..].find(mark);
        let end = end.map_or(rest.len(), |end| at + end + mark.len());
        let tag = &rest[at..end];
        let inner = tag.trim_matches(['{', '}']).trim();
        if let Some(role) = inner.strip_prefix("role ") {
            is_system = role.trim_matches(['"', '\'', ' ']) == "system";
        } else if depth == 0
            && parameters.contains_key(inner.split('.').next().unwrap_or_default())
            && inner.split('.').all(is_identifier)
        {
            body.value(inner);
        } else if depth == 0 && is_identifier(inner) && !HELPERS.contains(&inner) {
            body.parameter(inner, "TODO");
        } else {
            body.keep(tag, "Handlebars");
            depth += usize::from(["#each", "#with"].iter().any(|it| inner.starts_with(it)));
            let ends = usize::from(["/each", "/with"].contains(&inner));
            depth = depth.saturating_sub(ends);
        }
        rest = &rest[end..];
    }
    let body = if is_system { &mut system } else { &mut user };
    body.text(rest);
    for body in [&mut system, &mut user] {
        parameters.append(&mut body.parameters);
        notes.append(&mut body.notes);
    }
    let known = ["description", "input", "model", "config", "name"];
    unsaid(&fields, &known, &mut notes);
    let mut agent = Map::new();
    if let Some(model) = fields["model"].as_str() {
        // The name of a plugin of Genkit comes first.
        let model = model.rsplit('/').next().unwrap_or(model);
        agent.insert("model".to_owned(), model.into());
    }
    let names = [
        ("temperature", "temperature"),
        ("maxOutputTokens", "max_tokens"),
        ("stopSequences", "stop"),
    ];
    set_options(&fields["config"], &names, &mut agent, &mut notes);
    Ok(agent_tool(
        name,
        &fields,
        parameters,
        (system.template, user.template),
        agent,
        notes,
    ))
}

/// A `.prompty`: an agent with Jinja2.
fn prompty(name: &str, text: &str) -> Result<Imported, String> {
    let (fields, prompt) = front_matter(text)?;
    let mut notes = Vec::new();
    let mut parameters = Map::new();
    let inputs = fields
        .get("inputs")
        .or(fields.get("sample"))
        .and_then(Value::as_object);
    for (key, value) in inputs.into_iter().flatten() {
        let kind = value["type"].as_str().or(match value {
            Value::Number(_) => Some("number"),
            Value::Bool(_) => Some("boolean"),
            _ => None,
        });
        let kind = kind.unwrap_or("string");
        let mut property =
            json!({"type": kind, "description": value["description"].as_str().unwrap_or("TODO")});
        if let Some(default) = value.get("default") {
            property["default"] = default.clone();
        }
        if kind == "array" || kind == "object" {
            property["type"] = "string".into();
            notes.push(format!("left out: the type {kind} of {key}"));
        }
        parameters.insert(key.clone(), property);
    }
    let (mut system, mut user) = (String::new(), String::new());
    let mut role = "system";
    for line in prompt.trim().lines() {
        match line.trim().trim_start_matches('#').trim() {
            "system:" => role = "system",
            "user:" => role = "user",
            "assistant:" => {
                notes.push("kept as text: a turn of the assistant".to_owned());
                user.push_str("assistant:\n");
                role = "user";
            }
            _ => {
                let text = if role == "system" {
                    &mut system
                } else {
                    &mut user
                };
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let known = ["name", "description", "inputs", "sample", "model"];
    unsaid(&fields, &known, &mut notes);
    unsaid(
        &fields["model"],
        &["configuration", "parameters", "options", "id"],
        &mut notes,
    );
    let mut agent = Map::new();
    let configuration = &fields["model"]["configuration"];
    let model = configuration["azure_deployment"]
        .as_str()
        .or(configuration["model"].as_str());
    let model = model
        .or(fields["model"]["id"].as_str())
        .filter(|it| !it.starts_with("${"));
    agent.extend(model.map(|model| ("model".to_owned(), model.into())));
    unsaid(configuration, &["azure_deployment", "model"], &mut notes);
    let names = [
        ("temperature", "temperature"),
        ("max_tokens", "max_tokens"),
        ("stop", "stop"),
        ("seed", "seed"),
    ];
    let options = fields["model"]
        .get("parameters")
        .unwrap_or(&fields["model"]["options"]);
    set_options(options, &names, &mut agent, &mut notes);
    Ok(agent_tool(
        name,
        &fields,
        parameters,
        (system, user),
        agent,
        notes,
    ))
}

/// Moves the options that agents have to `agent`, and names the others.
fn set_options(
    options: &Value,
    names: &[(&str, &str)],
    agent: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) {
    for (theirs, ours) in names {
        let value = options.get(theirs).cloned();
        agent.extend(value.map(|value| ((*ours).to_owned(), value)));
    }
    let known: Vec<&str> = names.iter().map(|(theirs, _)| *theirs).collect();
    unsaid(options, &known, notes);
}

fn agent_tool(
    name: &str,
    fields: &Value,
    parameters: Map<String, Value>,
    (system, prompt): (String, String),
    options: Map<String, Value>,
    notes: Vec<String>,
) -> Imported {
    let mut agent = Map::new();
    let system = system.trim();
    let system = if system.is_empty() {
        "Do what you are asked."
    } else {
        system
    };
    agent.insert("system".to_owned(), system.into());
    if !prompt.trim().is_empty() {
        agent.insert("prompt".to_owned(), prompt.trim().into());
    }
    agent.extend(options);
    let body = Body {
        parameters,
        notes,
        ..Body::default()
    };
    let (mut document, notes) = body.tool(name, fields["description"].as_str().unwrap_or_default());
    document["implementation"] = json!({ "agent": agent });
    (document, notes)
}

fn is_identifier(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(is_word)
}

/// The fields between the first lines `---`, and the rest; a text without fields has none.
pub(super) fn front_matter(text: &str) -> Result<(Value, &str), String> {
    if !text.starts_with("---\n") && !text.starts_with("---\r\n") {
        return Ok((Value::Null, text));
    }
    let (head, body) = Skills::front_matter(text).ok_or("its fields have no last line `---`")?;
    Ok((Skills::fields("the prompt", head)?.to_json(), body))
}
