//! The project's tools as Agent Skills (agentskills.io), one for each toolset.
//!
//! An agent has the name and the description of a skill in every request, and reads the body when
//! it chooses the skill, and a file in `references` when it calls a tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cogtools_core::file::{ReadScope, WritePath};
use cogtools_core::source::Skills;
use cogtools_core::tool::Example;
use cogtools_core::{
    Code, Config, Diagnostic, Project, Registry, Tool, estimate_tokens, invisible, text,
};
use serde_json::{Value, json};

use super::document::{Document, DocumentError, Update, collect_all};
use super::table::{NewTool, Summary, Table};
use crate::call::quote;
use crate::project::context;
use crate::{Failure, Io};

/// The skill of tools that are in no toolset.
const DEFAULT_SKILL: &str = "project-tools";
/// The longest name, in characters, by the specification.
const MAX_NAME: usize = 64;
/// The longest result of an example, in characters, and the most examples of a tool.
const MAX_RESULT: usize = 2_000;
const MAX_EXAMPLES: usize = 3;

const BEGIN: &str = "<!-- cogtools:begin (`cogtools skill` writes this) -->";
const END: &str = "<!-- cogtools:end -->";
/// The field that marks the lines above a body as ours.
const OURS: &str = "generated-by: cogtools";

/// Tools that an agent learns about together.
#[derive(Default)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub description: String,
    /// Lines of the shell before a call.
    pub setup: String,
    table: Table,
    /// The text of `references/TOOL.md`, by tool.
    references: BTreeMap<String, String>,
}

/// The skills of `project`, or of its plugin `plugin`, by name, and the diagnostics of tools and
/// sources that are left out. A `new` tool is among them.
pub fn collect(
    config: Config,
    plugin: Option<&str>,
    new: Option<NewTool<'_>>,
    project: &Project,
    io: &Io<'_>,
) -> (BTreeMap<String, Skill>, Vec<Diagnostic>) {
    let descriptions = config.options.skill.clone();
    let new = new.filter(|new| new.is_listed(&config));
    let cx = context(io, project, config.env_priority, config.bounds());
    let found = Registry::new(config, None, cx).map_files(|file, tool| match tool {
        Ok(tool) => {
            // Not every host puts the name of a plugin before that of its skill.
            let toolset = file.provenance.toolset.as_deref();
            let name = toolset.map_or_else(|| plugin.unwrap_or(DEFAULT_SKILL).to_owned(), name_of);
            let folder = file.path.parent();
            let reference = reference(&tool, |golden| read_golden(folder?, golden));
            Ok((name, Summary::new(&tool), reference))
        }
        Err(error) => Err(error.diagnostics()),
    });
    let (found, diagnostics) = found.split();
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let new = new.map(|new| {
        let name = plugin.unwrap_or(DEFAULT_SKILL).to_owned();
        let reference = reference(new.tool, |golden| new.file(golden));
        (name, Summary::new(new.tool), reference)
    });
    for (name, tool, reference) in found.into_iter().chain(new) {
        let skill = skills.entry(name.clone()).or_insert_with(|| Skill {
            name,
            ..Skill::default()
        });
        skill.references.insert(tool.name().to_owned(), reference);
        skill.table.push(tool);
    }
    for skill in skills.values_mut() {
        let is_own = plugin == Some(&*skill.name);
        let key = if is_own { DEFAULT_SKILL } else { &skill.name };
        let written = descriptions.get(key);
        skill.description = limited(&written.map_or_else(
            || skill.table.purposes(plugin.unwrap_or("this project")),
            |text| text.split_whitespace().collect::<Vec<_>>().join(" "),
        ));
    }
    (skills, diagnostics)
}

/// The files that are ours alone of the skills in `folder` that are not among `skills`, because
/// their toolsets are gone. Skills of a plugin, which name its folder, come from elsewhere.
pub fn orphaned(
    folder: &Path,
    skills: &BTreeMap<String, Skill>,
    project: &Project,
) -> Vec<(WritePath, PathBuf)> {
    let unknown = names(&project.resolve(folder).0).into_iter();
    let unknown = unknown.filter(|name| !skills.contains_key(name));
    let files = unknown.flat_map(|name| {
        let folder = folder.join(name);
        let (path, display_path) = project.resolve(&folder.join("SKILL.md"));
        let path = WritePath::in_project(project.root(), &path);
        if !is_ours_alone(&path, &display_path) {
            return Vec::new();
        }
        let references = Skill::default().outdated(&folder, project);
        [vec![(path, display_path)], references].concat()
    });
    files.collect()
}

/// The names of the entries of the folder at `path`, sorted.
fn names(path: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.collect()
}

/// `text` as a name that the specification allows: `[a-z0-9-]`, with no `-` beside another or at
/// an end.
pub fn name_of(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-").to_ascii_lowercase();
    name.truncate(MAX_NAME);
    match name.trim_end_matches('-') {
        "" => DEFAULT_SKILL.to_owned(),
        name => name.to_owned(),
    }
}

/// A description within the limit. Hosts take `<` for markup and any `---` for the end of the
/// lines, and show no invisible characters.
fn limited(description: &str) -> String {
    let text = invisible::escape(description).replace(['<', '>'], "");
    let text = text.replace("---", "—");
    match text.char_indices().nth(Skills::MAX_DESCRIPTION - 1) {
        Some((end, _)) if text.chars().count() > Skills::MAX_DESCRIPTION => {
            format!("{}…", text[..end].trim_end())
        }
        _ => text,
    }
}

impl Skill {
    /// The files of the skill in `folder`, relative to the project, with their new content.
    pub fn updates(
        &self,
        folder: &Path,
        allow: bool,
        project: &Project,
    ) -> Result<Vec<Update>, Failure> {
        let files = self.files(folder, allow).into_iter();
        collect_all(files.map(|(file, text, front_matter)| {
            let (path, display_path) = project.resolve(&file);
            let path = WritePath::in_project(project.root(), &path);
            let document = Document::open(path, display_path)?;
            let content = match document.content() {
                None => Some(new_content(front_matter.as_deref(), &text)),
                Some(old) => replaced(old, &document, front_matter.as_deref(), &text),
            };
            match content {
                Some(content) => Ok(document.with_content(content)),
                None => Err(DocumentError::HandWritten(document.display_path().into())),
            }
        }))
    }

    /// The files of the skill in `folder`: their texts, and the lines above them.
    pub fn files(&self, folder: &Path, allow: bool) -> Vec<(PathBuf, String, Option<String>)> {
        let (body, overview) = self.body();
        let references = folder.join("references");
        let front_matter = Some(self.front_matter(allow));
        let mut files = vec![(folder.join("SKILL.md"), body, front_matter)];
        files.extend(overview.map(|text| (references.join("all.tools.md"), text, None)));
        for (tool, text) in &self.references {
            files.push((references.join(format!("{tool}.md")), text.clone(), None));
        }
        files
    }

    /// It as JSON.
    pub fn report(&self) -> Value {
        let tools: Vec<&String> = self.references.keys().collect();
        json!({"name": self.name, "description": self.description, "tools": tools})
    }

    /// The body between the markers, and the table of tools if it does not fit in.
    fn body(&self) -> (String, Option<String>) {
        let full = self.table.lines();
        let forms = [full.clone(), self.table.names()];
        for lines in forms {
            let text = format!("{}\n\n{}\n", lines.join("\n"), self.calling());
            let is_small = text.len() + Skills::MAX_DESCRIPTION * 2 < Skills::MAX_BYTES
                && text.lines().count() + 20 < Skills::MAX_LINES
                && estimate_tokens(&text) + 100 < Skills::MAX_BODY_TOKENS;
            if is_small {
                return (text, None);
            }
        }
        let text = format!(
            "The {} tools are listed in `references/all.tools.md`; `cogtools list` prints them, too.\n\n{}\n",
            self.table.len(),
            self.calling()
        );
        (text, Some(full.join("\n") + "\n"))
    }

    /// Explains to a model how to call a tool, and its next step after a failure.
    fn calling(&self) -> String {
        let setup = &self.setup;
        let mut text = format!(
            "Before the first call of a tool, read `references/TOOL.md`: it has the \
            arguments, and examples with their results.\n\n```sh\n{setup}cogtools run TOOL key=value \
            other='a longer text'\ncogtools-call TOOL <<'JSON'\n{{\"key\": \"value\"}}\nJSON\n```\n\n\
            The result is on standard output. A call that fails prints `error[CODE]`, the reason \
            and a hint on standard error:\n\n"
        );
        for (code, advice) in [
            (
                Code::SchemaViolation,
                "correct each argument that is listed, and call again",
            ),
            (Code::ToolNotFound, "the hint has the nearest name"),
            (
                Code::Denied,
                "a person has to approve the tool by `cogtools trust`; say so, and try no way around it",
            ),
            (Code::Timeout, "the tool took too long; do less in one call"),
            (
                Code::ToolFailed,
                "the tool itself failed; the message says why",
            ),
        ] {
            let (name, status) = (code.name(), code.status());
            let _ = writeln!(text, "- {name}, status {status}: {advice}");
        }
        text.truncate(text.trim_end().len());
        text
    }

    /// The lines above the body, from `---` to `---`.
    fn front_matter(&self, allow: bool) -> String {
        let description = json!(self.description);
        let allowed = if allow {
            "allowed-tools: Bash(cogtools run:*) Bash(cogtools-call:*)\n"
        } else {
            ""
        };
        format!(
            "---\nname: {}\ndescription: {description}\n{allowed}metadata:\n  {OURS}\n---\n",
            self.name
        )
    }

    /// The files in `references` that are ours alone and of no tool of the skill.
    pub fn outdated(&self, folder: &Path, project: &Project) -> Vec<(WritePath, PathBuf)> {
        let folder = folder.join("references");
        let has_overview = self.body().1.is_some();
        let (path, _) = project.resolve(&folder);
        let is_unknown = |name: &String| match name.strip_suffix(".md") {
            Some("all.tools") => !has_overview,
            Some(tool) => !self.references.contains_key(tool),
            None => false,
        };
        let unknown = names(&path).into_iter().filter(is_unknown).map(|name| {
            let (path, display_path) = project.resolve(&folder.join(name));
            (WritePath::in_project(project.root(), &path), display_path)
        });
        unknown
            .filter(|(path, shown)| is_ours_alone(path, shown))
            .collect()
    }
}

/// Returns true if the file has nothing but a text of ours, below lines of ours.
fn is_ours_alone(path: &WritePath, display_path: &Path) -> bool {
    let (limit, scope) = (text::Text::MAX_BYTES, path.read_scope());
    let bytes = text::bytes(&path.full(), display_path, limit, &scope);
    bytes.is_ok_and(|bytes| {
        let text = String::from_utf8_lossy(&bytes[front_matter_end(&bytes).unwrap_or(0)..]);
        let text = text.trim();
        text.starts_with(BEGIN)
            && text.ends_with(END)
            && text.matches(END).count() == 1
            && !text.contains("\nexport COGTOOLS_TOOL_SOURCES=")
    })
}

/// A new file.
pub fn new_content(front_matter: Option<&str>, text: &str) -> Vec<u8> {
    let head = front_matter.map(|lines| format!("{lines}\n"));
    let head = head.unwrap_or_default();
    format!("{head}{BEGIN}\n\n{text}\n{END}\n").into_bytes()
}

/// `old` with everything of ours replaced; `None` if it has no markers.
fn replaced(
    old: &[u8],
    document: &Document,
    front_matter: Option<&str>,
    text: &str,
) -> Option<Vec<u8>> {
    let inner = document.table_range()?;
    let own = front_matter.and_then(|lines| {
        let end = front_matter_end(old)?;
        Some((with_permission(lines, &old[..end]), end))
    });
    let (head, copied) = own.unwrap_or_default();
    let parts = [
        head.as_bytes(),
        &old[copied..inner.start],
        b"\n",
        text.as_bytes(),
        b"\n",
        &old[inner.end..],
    ];
    Some(parts.concat())
}

/// The lines `new`, with the permission of tools in the lines `old` if they have none.
fn with_permission(new: &str, old: &[u8]) -> String {
    const KEY: &str = "\nallowed-tools:";
    const NEXT: &str = "\nmetadata:\n";
    let old = String::from_utf8_lossy(old);
    match old.split_once(KEY).filter(|_| !new.contains(KEY)) {
        Some((_, rest)) => {
            let permission = rest.lines().next().unwrap_or_default();
            new.replacen(NEXT, &format!("{KEY}{permission}{NEXT}"), 1)
        }
        None => new.to_owned(),
    }
}

/// The end of the lines above the body of `old`, if they are ours.
fn front_matter_end(old: &[u8]) -> Option<usize> {
    let text = str::from_utf8(old).ok()?;
    let lines = text.strip_prefix("---\n")?;
    let end = lines.find("\n---\n")?;
    let is_ours = lines[..end].lines().any(|line| line.trim() == OURS);
    is_ours.then_some("---\n".len() + end + "\n---\n".len())
}

/// The text of `references/TOOL.md`.
fn reference(tool: &Tool, golden: impl Fn(&str) -> Option<String>) -> String {
    let name = tool.name().as_str();
    let schema = serde_json::to_string_pretty(&tool.schema.as_object()).unwrap_or_default();
    let mut text = format!(
        "# {name}\n\n{}\n\n## Arguments\n\nThe JSON Schema of the arguments:\n\n{}",
        indented(&tool.description),
        block("json", &schema)
    );
    let mut shown = 0;
    for (index, example) in tool.tests().iter().enumerate() {
        let Some(result) = result(name, index, example, &golden) else {
            continue;
        };
        if shown == 0 {
            text.push_str("\n## Examples\n");
        }
        let arguments = Value::Object(example.arguments());
        let call = format!("cogtools-call {} <<'JSON'\n{arguments}\nJSON", quote(name));
        let (call, result) = (block("sh", &call), block("text", &result));
        let _ = write!(text, "\n{call}\nprints\n\n{result}");
        shown += 1;
        if shown == MAX_EXAMPLES {
            break;
        }
    }
    text
}

/// The recorded result of an example, in a `golden` file.
fn result(
    name: &str,
    index: usize,
    example: &Example,
    golden: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let text = golden(&format!("{name}.{}.golden", example.id(index)))?;
    Some(match text.char_indices().nth(MAX_RESULT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}

/// The text of the file `name` in the folder of a tool.
fn read_golden(folder: &Path, name: &str) -> Option<String> {
    let path = folder.join(name);
    let scope = ReadScope::foreign(folder);
    let bytes = text::bytes(&path, &path, text::Text::MAX_BYTES, &scope).ok()?;
    String::from_utf8(bytes).ok()
}

/// Text of an author without markers of ours: a line that begins with a comment is indented code.
fn indented(text: &str) -> String {
    let text = invisible::escape_lines(text.trim()).replace("<!--", "&lt;!--");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// A block of code, with a fence that the text does not contain.
fn block(language: &str, text: &str) -> String {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let text = text.trim_end_matches('\n');
    format!("{fence}{language}\n{text}\n{fence}\n")
}
