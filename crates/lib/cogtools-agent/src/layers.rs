//! The text of the first two layers of a prompt, from the configuration and the project's files.

use std::path::Path;
use std::sync::Arc;

use cogtools_core::file::{ReadScope, has_secrets};
use cogtools_core::text::Text;
use cogtools_core::todo::TodoList;
use cogtools_core::trust::Verdict;
use cogtools_core::{Code, Config, ConfigFile, Diagnostic, Project, PromptConfig};
use cogtools_model::Content;
use cogtools_program::{Failure, Io, Severity, project};

use crate::prompt::{
    FileReference, InstructionFile, Instructions, Situation, render_dynamic, render_static,
};

/// Files with instructions that are used without being named.
const INSTRUCTIONS: [&str; 2] = ["GEMINI.md", "AGENTS.md"];
/// Templates that are used without being named.
const STATIC: &str = "prompts/static.njk";
const DYNAMIC: &str = "prompts/dynamic.njk";
/// The note about a project that is not trusted.
const UNTRUSTED: &str =
    "the project is not trusted: its instructions, templates and files are not used";
/// The largest file that is sent with every request, in bytes.
const MAX_FILE_BYTES: usize = 128 << 10;

/// The ingredients of the first two layers. The default is for an agent that is a tool: it brings
/// its own instructions.
#[derive(Debug, Default)]
pub struct Layers {
    instructions: Instructions,
    /// None for an agent that is a tool: its answer depends on its arguments only.
    situation: Option<Situation>,
    static_template: Option<Text>,
    dynamic_template: Option<Text>,
    /// The list of things to do, which the model writes.
    pub todos: TodoList,
}

impl Layers {
    /// Reads what `config` and `project` say, as far as the user trusts the project.
    pub fn load(
        config: &Config,
        project: &Project,
        is_quiet: bool,
        io: &mut Io<'_>,
    ) -> Result<Self, Failure> {
        let prompt = with_default_files(&config.prompt, project);
        let verdict = project::trust(io).project_verdict(project.root());
        let prompt = if matches!(verdict, Ok(Verdict::Approved)) {
            prompt
        } else {
            let users = config.users_prompt();
            let model = config.model_of_project();
            let model =
                model.map(|model| format!("; its model, {model}, is asked without --model"));
            if (users != prompt || model.is_some()) && !is_quiet {
                io.note(&format!("{UNTRUSTED}{}", model.unwrap_or_default()));
            }
            users
        };
        let mut warnings = Vec::new();
        let situation = Situation {
            current_datetime: None,
            file_references: references(&prompt.files, true, &mut warnings),
            artifacts: references(&prompt.artifacts, false, &mut warnings),
            todos: prompt.todos.clone(),
        };
        let read = |file: &Option<ConfigFile>| file.as_ref().map(read).transpose();
        let layers = Self {
            static_template: read(&prompt.static_template)?,
            dynamic_template: read(&prompt.dynamic_template)?,
            instructions: instructions(prompt)?,
            situation: Some(situation),
            todos: TodoList::default(),
        };
        if !is_quiet {
            for warning in &warnings {
                io.report(Severity::Warning, warning);
            }
        }
        Ok(layers)
    }

    /// Instructions.
    pub fn system(&self) -> Result<Option<Arc<Content>>, Failure> {
        render_static(self.static_template.as_ref(), &self.instructions)
    }

    /// The state of the world at the time `now`.
    pub fn dynamic(&self, now: String) -> Result<Option<Arc<Content>>, Failure> {
        let Some(situation) = &self.situation else {
            return Ok(None);
        };
        let mut situation = Situation {
            current_datetime: Some(now),
            ..situation.clone()
        };
        let todos = self.todos.get();
        let todos = todos.iter().map(serde_json::to_value);
        situation.todos.extend(todos.filter_map(Result::ok));
        render_dynamic(self.dynamic_template.as_ref(), &situation)
    }
}

/// `prompt` with the files of the project that are used without being named.
fn with_default_files(prompt: &PromptConfig, project: &Project) -> PromptConfig {
    let existing = |name: &str| {
        let (path, display_path) = project.resolve(Path::new(name));
        let exists = path.symlink_metadata().is_ok();
        exists.then(|| ConfigFile {
            path,
            display_path,
            scope: project.read_scope(),
            is_users: false,
        })
    };
    let mut prompt = prompt.clone();
    let instructions = prompt.instructions.take();
    prompt.instructions = Some(
        instructions.unwrap_or_else(|| INSTRUCTIONS.into_iter().filter_map(existing).collect()),
    );
    prompt.static_template = prompt.static_template.or_else(|| existing(STATIC));
    prompt.dynamic_template = prompt.dynamic_template.or_else(|| existing(DYNAMIC));
    prompt
}

fn instructions(prompt: PromptConfig) -> Result<Instructions, Failure> {
    let files = prompt.instructions.unwrap_or_default();
    let files = files.iter().map(|file| {
        let text = read(file)?;
        Ok(InstructionFile {
            name: file.display_path.display().to_string(),
            text: text.as_str().trim().to_owned(),
        })
    });
    Ok(Instructions {
        description: prompt.description,
        roles: prompt.roles,
        rules: prompt.rules,
        procedure: prompt.procedure,
        constraints: prompt.constraints,
        session_goal: prompt.session_goal,
        instructions: files.collect::<Result<_, Failure>>()?,
    })
}

fn read(file: &ConfigFile) -> Result<Text, Failure> {
    read_bounded(file).map_err(|diagnostic| (*diagnostic).into())
}

/// A file of at most [`MAX_FILE_BYTES`] bytes, which does not have the name of a file with secrets.
fn read_bounded(file: &ConfigFile) -> Result<Text, Box<Diagnostic>> {
    let refused = |message: String| {
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        Err(Box::new(
            diagnostic.with_subject(file.display_path.display().to_string()),
        ))
    };
    let root = match &file.scope {
        ReadScope::Within { folder, .. } => folder,
        ReadScope::User => Path::new(""),
    };
    if has_secrets(root, &file.path) {
        return refused("it may contain secrets, and is not sent to a model".to_owned());
    }
    let text = Text::read(&file.path, &file.display_path, &file.scope)
        .map_err(|error| Box::new(error.diagnostic(Code::InvalidConfig)))?;
    if text.as_str().len() > MAX_FILE_BYTES {
        let kib = MAX_FILE_BYTES >> 10;
        return refused(format!(
            "a file that is sent with every request has at most {kib} KiB"
        ));
    }
    Ok(text)
}

/// The files with their content. Those that have to exist and cannot be read are reported.
fn references(
    files: &[ConfigFile],
    must_exist: bool,
    warnings: &mut Vec<Diagnostic>,
) -> Vec<FileReference> {
    let is_absent = |file: &ConfigFile| !must_exist && file.path.symlink_metadata().is_err();
    let mut read = |file: &ConfigFile| {
        let text = (!is_absent(file)).then(|| read_bounded(file))?;
        let text = text.map_err(|warning| warnings.push(*warning));
        Some(text.ok()?.as_str().to_owned())
    };
    let reference = |file: &ConfigFile| FileReference {
        path: file.display_path.display().to_string(),
        content: read(file),
    };
    files.iter().map(reference).collect()
}
