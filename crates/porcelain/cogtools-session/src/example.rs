//! `cogtools session example`: a call of a session as an example of its tool.

use std::path::{Path, PathBuf};

use clap::Args;
use cogtools_core::text::Span;
use cogtools_core::{Code, Diagnostic, Tool, yaml};
use cogtools_edit::{ApplyError, Change, Existing, ExistingError, Plan, Step, yaml as edit};
use cogtools_log::{BlobId, Outcome, Session, SessionFile};
use cogtools_program::args::RegistryArgs;
use cogtools_program::project::{cached_registry, project};
use cogtools_program::{Failure, Io};
use serde_json::{Map, Value, json};

use crate::locate::{Opened, SessionArg};

/// A call that succeeded, and its result.
struct Made<'s> {
    tool: &'s str,
    arguments: &'s Map<String, Value>,
    result: (&'s Value, Option<&'s BlobId>),
}

/// Add a call of a session to the examples of its tool, and print the files that change
#[derive(Args)]
#[group(skip)]
pub(crate) struct ExampleArgs {
    /// The name of the call
    #[arg(value_name = "CALL")]
    call: String,
    #[command(flatten)]
    session: SessionArg,
    /// Also write the result of the call as the golden file of the example
    #[arg(long)]
    golden: bool,
}

/// Adds the arguments of a call to the examples of its tool; with `golden`, also writes its result
/// as the golden file of that example. Prints the files.
pub(crate) fn example(args: &ExampleArgs, io: &mut Io<'_>) -> Result<(), Failure> {
    let opened = args.session.read(io)?;
    let made = Made::find(&opened, &args.call)?;
    let project = project(io);
    let tool = cached_registry(&RegistryArgs::default(), io)?
        .find(made.tool)
        .map_err(|error| Failure::from(error.diagnostics()))?;
    let path = own_file(&tool, project.root())?;
    let examples = tool.tests();
    if examples
        .iter()
        .any(|one| one.arguments() == *made.arguments)
    {
        let diagnostic = Diagnostic::new(Code::Usage, "an example has these arguments already");
        return Err(diagnostic.with_subject(tool.name().as_str()).into());
    }
    let mut plan = Plan::default();
    let after = with_example(&tool, made.arguments)?;
    let failed = |error: ExistingError| Failure::from(error.diagnostic());
    let before = Existing::open(project.root(), &path).map_err(failed)?;
    if let Some(before) = &before {
        before.writable().map_err(failed)?;
    }
    let before = before.map(|existing| existing.text);
    let change = Change::new(project.root(), path.clone(), before, after);
    plan.steps.push(Step::Write(change));
    if args.golden {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let golden = path.with_file_name(format!("{stem}.{}.golden", examples.len() + 1));
        let text = made.output(&opened.file)?;
        let before = Existing::open(project.root(), &golden).map_err(failed)?;
        let before = before.map(|existing| existing.text);
        let change = Change::new(project.root(), golden, before, text);
        plan.steps.push(Step::Write(change));
    }
    plan.apply()
        .map_err(|error: ApplyError| Failure::from(error.diagnostic()))?;
    let files = plan.changes();
    let names: Vec<String> = files
        .map(|change| change.file.display().to_string())
        .collect();
    io.show(&(names.join("\n") + "\n"))
}

impl<'s> Made<'s> {
    /// The last call of that name.
    fn find(opened: &'s Opened, name: &str) -> Result<Self, Failure> {
        let calls = Session::calls(opened.session.nodes()).into_iter().rev();
        let mut made = calls.filter(|(call, _)| call.call.as_str() == name);
        let made = made.find_map(|(call, result)| {
            let result = result.filter(|result| result.outcome == Outcome::Succeeded)?;
            Some(Self {
                tool: &call.tool,
                arguments: call.arguments.as_object()?,
                result: (&result.content, result.blob.as_ref()),
            })
        });
        made.ok_or_else(|| {
            let hint = "`cogtools session show --json` prints the names of the calls";
            let part = format!("call {name} that succeeded");
            opened.lacks(&part).hint(hint).into()
        })
    }

    /// The text that the tool has printed.
    fn output(&self, file: &SessionFile) -> Result<String, Failure> {
        let refused = |message: &str| {
            let diagnostic = Diagnostic::new(Code::Usage, message.to_owned());
            let hint = "leave --golden out, and run `cogtools test --update`";
            Failure::from(diagnostic.with_subject(self.tool).hint(hint))
        };
        let (content, blob) = self.result;
        let whole = match blob {
            Some(blob) => {
                let bytes = file.blobs().read(blob);
                let bytes = bytes.map_err(|error| refused(&error.to_string()))?;
                serde_json::from_slice(&bytes).unwrap_or_default()
            }
            None => content.clone(),
        };
        let output = whole.get("output").and_then(Value::as_str);
        let output = output.ok_or_else(|| refused("the result of the call is no text"))?;
        Ok(output.to_owned())
    }
}

/// The path of the tool's file, relative to the project: only its own files are written.
fn own_file(tool: &Tool, root: &Path) -> Result<PathBuf, Failure> {
    let path = tool.text().path().strip_prefix(root);
    path.map(Path::to_path_buf).map_err(|_| {
        let diagnostic = Diagnostic::new(Code::Usage, "its file is not one of the project");
        diagnostic.with_subject(tool.name().as_str()).into()
    })
}

/// The text of the tool's file with one more example.
fn with_example(tool: &Tool, arguments: &Map<String, Value>) -> Result<String, Failure> {
    let text = tool.text();
    let root = yaml::parse(text).map_err(|error| error.diagnostic(Code::InvalidTool, text))?;
    let value = Value::Object(arguments.clone());
    let item = (edit::render(&value), value.clone());
    let after = match root.get("examples") {
        Some(list) => edit::append(text.as_str(), &root, "examples", &[item]).or_else(|error| {
            // A list in brackets is written again, unless that would lose a comment.
            let span = &text.as_str()[list.span.start..list.span.end];
            let mut all = list.to_json();
            match &mut all {
                Value::Array(items) if !span.contains('#') => items.push(value),
                _ => return Err(error),
            }
            edit::set(text.as_str(), &root, &["examples"], &all)
        }),
        None => edit::set(text.as_str(), &root, &["examples"], &json!([value])),
    };
    after.map_err(|error| {
        let message = "`examples` is written so that none can be added";
        let span = Span::new(error.at, error.at);
        let diagnostic = Diagnostic::new(Code::InvalidTool, message).at(text.location(span));
        let hint = "write each example on lines of its own, then run this again";
        diagnostic.hint(hint).into()
    })
}
