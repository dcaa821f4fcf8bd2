//! Agent Skills (agentskills.io) for agents of ours: folders with a `SKILL.md`.
//!
//! An agent has the name and the description of each skill in its instructions. `read_skill`
//! returns the body and the other files of one, and `run_skill_script` runs a script of it in a
//! sandbox without network, after the approval that a tool of its author needs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};

use super::builtin::{READ_ONLY, lines};
use super::{Candidate, Declared, Listing, SourceError};
use crate::arguments::Arguments;
use crate::containment::read_first_line;
use crate::file::{ReadScope, descends, has_secrets};
use crate::shebang::is_executable;
use crate::suggest::did_you_mean;
use crate::text::Text;
use crate::tool::{
    Annotations, Author, Definition, Foreign, Provenance, RunError, ToolCall, ToolOutput,
    interpreter,
};
use crate::{Code, Context, Diagnostic, Name, Tool, estimate_tokens, invisible, yaml};

/// The file of a skill.
const FILE: &str = "SKILL.md";
/// The folder of its scripts.
const SCRIPTS: &str = "scripts";
/// The tokens of the skills in the instructions of an agent.
const MAX_TOKENS: usize = 4_000;
/// The most skills of a folder, and the most files of a skill that are listed.
const MAX_ENTRIES: usize = 200;
/// The introduction to the skills, and to those whose descriptions do not fit.
const INTRODUCTION: &str = "# Skills\n\nInstructions for special tasks. Before you begin a task \
                            that a description matches, call read_skill with its name.\n";
const WITHOUT_DESCRIPTION: &str = "\nFurther skills, which read_skill describes: ";
/// The parameters of the tools.
const READ_PARAMETERS: &str = r#"
name: {type: string, description: The name of the skill}
file:
  type: string
  description: "A file of the skill that its text names; by default, the text itself"
  default: SKILL.md
offset: {type: integer, description: The first line, minimum: 1, maximum: 1000000000, default: 1}
limit:
  {type: integer, description: How many lines at most, minimum: 1, maximum: 100000, default: 2000}
"#;
const RUN_PARAMETERS: &str = r#"
name: {type: string, description: The name of the skill}
script: {type: string, description: "The script, such as scripts/check.py"}
args: {type: array, items: string, description: Its arguments, default: []}
"#;

/// A folder whose subfolders are skills.
#[derive(Clone, Debug)]
pub struct SkillFolder {
    /// The folder.
    pub path: PathBuf,
    /// The folder, as shown to the user.
    pub display_path: PathBuf,
    /// The name of the plugin, or `skills`.
    pub source: String,
    /// The author, whose approval scripts need.
    pub author: Author,
    /// The folder that no link may leave: none for the user's own skills.
    pub boundary: Option<PathBuf>,
}

/// The skills that an agent may use.
#[derive(Clone, Debug)]
pub struct Skills {
    folders: Vec<SkillFolder>,
    /// The way to run the tool of a script, after its approval.
    run: RunScript,
    found: Arc<OnceLock<FoundSkills>>,
}

/// Approves a tool and runs it, which this module lies below.
type RunScript = fn(Tool, Arguments, &Context) -> Result<ToolOutput, RunError>;

/// Valid skills, and the errors of the others.
type FoundSkills = (Vec<Skill>, Vec<(PathBuf, String)>);

/// A skill.
#[derive(Clone, Debug)]
struct Skill {
    name: String,
    description: String,
    /// Its folder, with links resolved.
    root: PathBuf,
    display_path: PathBuf,
    source: String,
    author: Author,
}

impl Skills {
    /// The folder of skills in a project, and in the user's home directory.
    pub const FOLDER: &str = ".agents/skills";
    /// Limits of a `SKILL.md`: lines, tokens and the characters of its description by the
    /// specification, and the bytes that Antigravity reads.
    pub const MAX_LINES: usize = 499;
    /// See [`Self::MAX_LINES`].
    pub const MAX_BODY_TOKENS: usize = 5_000;
    /// See [`Self::MAX_LINES`].
    pub const MAX_BYTES: usize = 24_000;
    /// See [`Self::MAX_LINES`].
    pub const MAX_DESCRIPTION: usize = 1024;
    /// The name of the tool that reads them.
    pub const READ: &str = "read_skill";
    /// The name of the tool that runs their scripts.
    pub const RUN: &str = "run_skill_script";

    /// The skills in `folders`; of two with one name, the first. `run` runs their scripts.
    pub(crate) fn new(folders: Vec<SkillFolder>, run: RunScript) -> Self {
        Self {
            folders,
            run,
            found: Arc::default(),
        }
    }

    /// Returns the program that runs the script at `path`, and its arguments before the script: by
    /// the first line or, without `#!`, by the extension. Without both, there is none.
    pub fn interpreter(path: &Path) -> Vec<String> {
        if let Some(line) = read_first_line(path).filter(|line| !line.program.is_empty()) {
            return interpreter(&line);
        }
        let program = match path.extension().and_then(OsStr::to_str) {
            Some("py") => "python3",
            Some("sh") => "sh",
            Some("js" | "mjs" | "cjs") => "node",
            Some("rb") => "ruby",
            Some("pl") => "perl",
            _ => return Vec::new(),
        };
        vec![program.to_owned()]
    }

    /// Finds a word of `command` that a tool would render as a template.
    pub fn template_among(command: &[String]) -> Option<&String> {
        let marks = ["{{", "{%", "{#"];
        let mut words = command.iter();
        words.find(|word| marks.iter().any(|mark| word.contains(mark)))
    }

    /// Returns true if `name` has only the characters that the specification allows, and few enough.
    pub fn is_name(name: &str) -> bool {
        let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        (1..=64).contains(&name.len()) && name.chars().all(is_valid)
    }

    /// Splits a text into the fields between its first lines `---`, and the rest.
    pub fn front_matter(text: &str) -> Option<(&str, &str)> {
        let rest = text.strip_prefix("---")?;
        let rest = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))?;
        let mut at = 0;
        for line in rest.split_inclusive('\n') {
            if line.trim_end() == "---" {
                return Some((&rest[..at], &rest[at + line.len()..]));
            }
            at += line.len();
        }
        None
    }

    /// Reads the fields of a prompt or a skill. As for hosts, a value on one line that is not valid
    /// is a text, as in `argument-hint: [a] [b]` and `description: Use it when: a test fails`.
    ///
    /// # Errors
    /// Other fields that are not valid YAML.
    pub fn fields(name: &str, head: &str) -> Result<yaml::Node, String> {
        let parse = |text: &str| {
            let text = Text::new(name, text.as_bytes().to_vec());
            let text = text.map_err(|error| error.to_string())?;
            yaml::parse(&text).map_err(|error| error.kind.to_string())
        };
        parse(head).or_else(|error| {
            let lines = head.lines().map(|line| {
                let count = |c| line.matches(c).count();
                let is_whole = count('[') == count(']') && count('{') == count('}');
                match line.split_once(": ") {
                    Some((key, value))
                        if is_whole
                            && !key.starts_with(char::is_whitespace)
                            && parse(line).is_err() =>
                    {
                        format!("{key}: {}\n", Value::from(value.trim()))
                    }
                    _ => format!("{line}\n"),
                }
            });
            parse(&lines.collect::<String>()).map_err(|_| error)
        })
    }

    /// Returns the part of an agent's instructions that names the skills, if there are any.
    pub fn index(&self) -> Option<String> {
        let mut text = INTRODUCTION.to_owned();
        let mut names = Vec::new();
        for skill in self.all() {
            let line = format!("\n- {}: {}", skill.name, skill.description);
            if names.is_empty() && estimate_tokens(&text) + estimate_tokens(&line) <= MAX_TOKENS {
                text.push_str(&line);
            } else {
                names.push(skill.name.as_str());
            }
        }
        if !names.is_empty() {
            text.push('\n');
            text.push_str(WITHOUT_DESCRIPTION);
            text.push_str(&names.join(", "));
        }
        (!self.all().is_empty()).then_some(text)
    }

    fn found(&self) -> &FoundSkills {
        self.found.get_or_init(|| {
            let mut found = FoundSkills::default();
            let folders = self.folders.iter();
            folders.for_each(|folder| folder.find(&mut found));
            found
        })
    }

    fn all(&self) -> &[Skill] {
        &self.found().0
    }

    /// The names of the tools, if there is a skill: one has scripts.
    fn tools(&self) -> impl Iterator<Item = &'static str> {
        let mut skills = self.all().iter();
        let has_scripts = skills.any(|skill| !skill.entries(SCRIPTS).is_empty());
        let read = (!self.all().is_empty()).then_some(Self::READ);
        read.into_iter().chain(has_scripts.then_some(Self::RUN))
    }

    pub(super) fn find(&self, name: &Name) -> Option<Tool> {
        let found = self.tools().find(|tool| *tool == name.as_str());
        found.map(|name| self.load(name))
    }

    pub(super) fn list(&self) -> Listing {
        let entries = self.tools().map(|name| Candidate {
            name: name.into(),
            path: PathBuf::new(),
            display_path: name.into(),
            provenance: Provenance::built_in("skills"),
            scope: ReadScope::default(),
            declared: Some(Declared::Skill(self.clone(), name)),
        });
        let errors = self.found().1.iter();
        let errors = errors.map(|(path, error)| SourceError::Skill(path.clone(), error.clone()));
        Listing {
            entries: entries.collect(),
            errors: errors.collect(),
        }
    }

    /// Makes the tool of that name.
    pub(super) fn load(&self, name: &'static str) -> Tool {
        let (title, description, parameters, annotations) = if name == Self::READ {
            let description = "Reads the instructions of a skill, or one of its files.";
            ("Read a skill", description, READ_PARAMETERS, READ_ONLY)
        } else {
            let description = "Runs a script of a skill in the project's folder. It reads the \
                               project, and neither writes there nor reaches the network.";
            let title = "Run a script of a skill";
            (title, description, RUN_PARAMETERS, Annotations::default())
        };
        let definition = Definition {
            annotations,
            provenance: Provenance::built_in("skills"),
            ..Definition::built_in(name, title, description, parameters)
        };
        Tool::foreign(definition, Arc::new(self.clone()), Path::new(name))
    }

    fn skill(&self, name: &str) -> Result<&Skill, Box<Diagnostic>> {
        let found = self.all().iter().find(|skill| skill.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.all().iter().map(|it| it.name.as_str()).collect();
            let hint = did_you_mean(name, names.iter().copied());
            let hint = hint.unwrap_or_else(|| format!("the skills are {}", names.join(", ")));
            failed(format!("no skill is named `{name}`"), hint)
        })
    }
}

impl Foreign for Skills {
    fn call(&self, call: ToolCall<'_>) -> Result<ToolOutput, RunError> {
        let skill = self.skill(call.text("name").unwrap_or_default())?;
        if call.name() == Self::RUN {
            let args = call.arguments.get("args").cloned().unwrap_or_default();
            let arguments = Map::from_iter([("args".to_owned(), args)]);
            let script = skill.script(call.text("script").unwrap_or_default())?;
            return (self.run)(script, Arguments::from(arguments), call.cx);
        }
        let file = call.text("file").unwrap_or(FILE);
        let mut content = skill.read(file)?;
        if file == FILE {
            let body = Self::front_matter(&content).map_or("", |(_, body)| body);
            content = format!("{}\n{}", body.trim(), skill.files());
        }
        let (offset, limit) = (call.number("offset"), call.number("limit"));
        Ok(ToolOutput::new(lines(&content, offset, limit)))
    }

    fn runs_programs(&self) -> bool {
        // A script is a tool of its own, which is approved before it runs.
        false
    }
}

impl SkillFolder {
    /// The names of its skills.
    pub(super) fn names(&self) -> Vec<String> {
        let mut found = FoundSkills::default();
        self.find(&mut found);
        found.0.into_iter().map(|skill| skill.name).collect()
    }

    /// The tools that run the scripts, for approvals.
    pub(crate) fn script_tools(&self) -> Vec<Tool> {
        let mut found = FoundSkills::default();
        self.find(&mut found);
        let tools = found.0.iter().flat_map(|skill| {
            let tool = |name| {
                let below = format!("{SCRIPTS}/{name}");
                skill.script_tool(&below, &skill.path(&below).ok()?).ok()
            };
            let scripts = skill.entries(SCRIPTS).into_iter();
            scripts.filter_map(tool).collect::<Vec<_>>()
        });
        tools.collect()
    }

    /// Adds its skills, sorted by name.
    fn find(&self, (skills, errors): &mut FoundSkills) {
        let entries = self.path.read_dir().into_iter().flatten().flatten();
        let names: BTreeSet<_> = entries.map(|entry| entry.file_name()).collect();
        for name in names.into_iter().take(MAX_ENTRIES) {
            let Ok(name) = name.into_string() else {
                continue;
            };
            match self.skill(&name) {
                Ok(Some(skill)) if skills.iter().all(|other| other.name != skill.name) => {
                    skills.push(skill);
                }
                Ok(_) => {}
                Err(error) => errors.push((self.display_path.join(&name).join(FILE), error)),
            }
        }
    }

    /// Reads the skill in the subfolder `name`, if it is one for an agent of ours.
    fn skill(&self, name: &str) -> Result<Option<Skill>, String> {
        let folder = self.path.join(name);
        if folder.join(FILE).symlink_metadata().is_err() {
            return Ok(None);
        }
        let root = folder.canonicalize();
        let root = root.map_err(|_| "its folder cannot be read".to_owned())?;
        let boundary = self.boundary.as_deref().map(Path::canonicalize);
        if boundary.is_some_and(|boundary| !boundary.is_ok_and(|it| root.starts_with(it))) {
            return Err("its folder is a link that points outside".to_owned());
        }
        let mut skill = Skill {
            name: name.to_owned(),
            description: String::new(),
            root,
            display_path: self.display_path.join(name),
            source: self.source.clone(),
            author: self.author.clone(),
        };
        let content = skill.read(FILE).map_err(|error| error.message)?;
        let (head, _) =
            Skills::front_matter(&content).ok_or("it does not begin with `---` and fields")?;
        let head = Skills::fields(FILE, head)?;
        // The tools themselves are declared.
        let generator = head
            .get("metadata")
            .and_then(|it| it.get("generated-by")?.text());
        if self.author == Author::Project && generator == Some("cogtools") {
            return Ok(None);
        }
        if head.get("name").and_then(yaml::Node::text) != Some(name) {
            return Err(format!("`name` is not that of its folder, `{name}`"));
        }
        if !Skills::is_name(name) {
            return Err("`name` has other characters than a-z, 0-9 and -".to_owned());
        }
        let description = head.get("description").and_then(yaml::Node::text);
        let mut description = Value::from(description.unwrap_or_default());
        invisible::remove_from_texts(&mut description, &mut BTreeSet::new());
        let words = description.as_str().unwrap_or_default().split_whitespace();
        let words: Vec<&str> = words.collect();
        let words = words.join(" ");
        skill.description = words.chars().take(Skills::MAX_DESCRIPTION).collect();
        if skill.description.is_empty() {
            return Err("it has no `description`".to_owned());
        }
        Ok(Some(skill))
    }
}

impl Skill {
    /// Finds the path of `file`, which is in the folder as it is written and with links resolved.
    fn path(&self, file: &str) -> Result<PathBuf, Box<Diagnostic>> {
        let path = self.root.join(file);
        let real = path.canonicalize();
        let leaves = |real: &PathBuf| !real.starts_with(&self.root);
        let hint = || format!("a file of {} is relative to the skill's folder", self.name);
        if !descends(file.as_ref()) || real.as_ref().is_ok_and(leaves) {
            return Err(failed(format!("`{file}` is outside the skill"), hint()));
        }
        match real {
            Ok(_) if has_secrets(&self.root, file.as_ref()) => {
                let message = format!("`{file}` may contain secrets and is not read");
                Err(failed(message, hint()))
            }
            Ok(real) => Ok(real),
            Err(_) => {
                let listed = self.files();
                let hint = if listed.is_empty() {
                    hint()
                } else {
                    listed.trim().to_owned()
                };
                Err(failed(format!("the skill has no file `{file}`"), hint))
            }
        }
    }

    fn read(&self, file: &str) -> Result<String, Box<Diagnostic>> {
        let path = self.path(file)?;
        let scope = ReadScope::package(&self.root, true);
        let text = Text::read(&path, &self.display_path.join(file), &scope);
        let text = text.map_err(|error| error.diagnostic(Code::ToolFailed))?;
        Ok(text.as_str().to_owned())
    }

    /// The names of the files in a subfolder, sorted.
    fn entries(&self, folder: &str) -> Vec<String> {
        let entries = self.root.join(folder).read_dir();
        let entries = entries.into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| {
            let is_file = entry.path().is_file();
            entry.file_name().into_string().ok().filter(|_| is_file)
        });
        let names: BTreeSet<String> = names.collect();
        names.into_iter().take(MAX_ENTRIES).collect()
    }

    /// Describes its files, in one line; empty if it has no others.
    fn files(&self) -> String {
        let in_folder = |folder: &'static str| {
            let names = self.entries(folder).into_iter();
            names.map(move |name| format!("{folder}/{name}"))
        };
        let files = ["references", SCRIPTS, "assets"]
            .into_iter()
            .flat_map(in_folder);
        let files: Vec<String> = files.collect();
        if files.is_empty() {
            return String::new();
        }
        format!("\n[files of this skill: {}]\n", files.join(", "))
    }

    /// Makes the tool of the skill's author that runs `script` in a sandbox.
    fn script(&self, script: &str) -> Result<Tool, Box<Diagnostic>> {
        let below = script.strip_prefix("./").unwrap_or(script);
        let below = if below.starts_with("scripts/") {
            below.to_owned()
        } else {
            format!("{SCRIPTS}/{below}")
        };
        self.script_tool(&below, &self.path(&below)?)
    }

    /// Makes the tool that runs the script `below` at `path`.
    fn script_tool(&self, below: &str, path: &Path) -> Result<Tool, Box<Diagnostic>> {
        let mut command = Vec::new();
        if !is_executable(path) {
            command = Skills::interpreter(path);
        }
        command.push(path.display().to_string());
        if Skills::template_among(&command).is_some() {
            let message = format!("the path or the first line of `{below}` looks like a template");
            let hint = "remove the braces: rename the file or the folder, or edit the line";
            return Err(failed(message, hint.to_owned()));
        }
        command.push("{{ args }}".to_owned());
        let tool = json!({
            "name": Skills::RUN,
            "description": format!("Runs {below} of the skill {}", self.name),
            "parameters": {"args": {"type": "array", "items": "string", "default": []}},
            "implementation": {"exec": command},
            "sandbox": {},
        });
        let invalid = |message: String| failed(message, "report this as a bug".to_owned());
        let text = Text::new(self.display_path.join(below), tool.to_string().into_bytes());
        let text = text.map_err(|error| invalid(error.to_string()))?;
        let tool = Tool::parse(text.at(&self.root.join(FILE)));
        let tool = tool.map_err(|error| Diagnostic::merge(error.diagnostics()))?;
        Ok(tool.from(Arc::new(Provenance {
            source: self.source.clone(),
            author: self.author.clone(),
            ..Provenance::default()
        })))
    }
}

fn failed(message: String, hint: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(Code::ToolFailed, message).hint(hint))
}
