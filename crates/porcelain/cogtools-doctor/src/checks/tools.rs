//! Tool files that are invalid or shadowed, and references to missing tools.

use cogtools_core::environment::refusal;
use cogtools_core::tool::Word;
use cogtools_core::{Diagnostic, Tool};
use cogtools_program::call::quote;
use cogtools_program::render_hint;

use super::{documents, lint, missing_tools};
use crate::context::Context;
use crate::finding::Finding;
use crate::package_manager::install_command;
use crate::remedy::Remedy;
use crate::tools::ToolFile;

pub(crate) fn check(cx: &Context) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut valid = 0;
    for file in &cx.tools.files {
        let (diagnostics, consequence) = match &file.tool {
            Ok(tool) => {
                let diagnostics: Vec<Diagnostic> =
                    tool.check_implementation().into_iter().collect();
                (diagnostics, "every call of the tool fails")
            }
            Err(diagnostics) if file.is_rejected => {
                (diagnostics.clone(), "Gemini CLI does not see the tool")
            }
            Err(diagnostics) => (diagnostics.clone(), "no host sees the tool"),
        };
        valid += usize::from(diagnostics.is_empty());
        if file.is_dangling {
            let path = file.display_path.display().to_string();
            let message = format!("{path} is a link to a file that does not exist: {consequence}");
            findings.push(Finding::problem(message).fix(format!("rm {}", quote(&path))));
            continue;
        }
        let more = diagnostics.len().saturating_sub(1);
        findings.extend(
            diagnostics
                .first()
                .map(|diagnostic| invalid_tool(diagnostic, more, consequence, cx)),
        );
    }
    for file in &cx.tools.files {
        findings.extend(uncallable(file, cx));
    }
    let strays = cx.tools.stray_files.iter();
    for file in strays.filter(|file| !file.is_configuration) {
        findings.push(Finding::warning(file.message()).remedy(file.remedy()));
    }
    findings.extend(cx.tools.valid().filter_map(invalid_example));
    for shadowed in &cx.tools.shadowed {
        let (hidden, winner) = (shadowed.file.display(), shadowed.winner.display());
        let message = format!("{hidden} is shadowed by {winner}, which has the same name");
        let finding = Finding::warning(message).hint(format!("rename or remove {hidden}"));
        findings.push(finding.omitting(shadowed.omission.as_ref()));
    }
    findings.extend(missing_tools::check(cx));
    findings.extend(documents::check(cx));
    let count = match valid {
        1 => "1 tool is valid".to_owned(),
        valid => format!("{valid} tools are valid"),
    };
    findings.insert(0, Finding::ok(count));
    findings
}

/// Why calls of a valid tool fail, or fail in one way.
fn uncallable(file: &ToolFile, cx: &Context) -> Option<Finding> {
    const CONSEQUENCE: &str = "every call of the tool fails";
    let path = file.display_path.display().to_string();
    if !file.unset_variables.is_empty() {
        let names = file.unset_variables.join(", ");
        let message = format!("{path} needs what is not set: {names}: {CONSEQUENCE}");
        return Some(Finding::problem(message).hint(assignment(&file.unset_variables)));
    }
    if let Some(diagnostic) = &file.unstartable {
        let message = format!("{path}: {}: {CONSEQUENCE}", diagnostic.message);
        let problem = Finding::problem(message).remedy(Remedy::of(diagnostic));
        let program = file.tool.as_ref().ok().and_then(program_of);
        let command = program.and_then(|name| install_command(&name, &cx.host));
        return Some(problem.remedy(command.map(Remedy::Command)));
    }
    file.lacks_permission.then(|| {
        let message = format!("{path} begins with `#!` but is not executable");
        Finding::warning(message).fix(format!("chmod +x {}", quote(&path)))
    })
}

/// The program that `tool` starts, if it is the same in every call.
fn program_of(tool: &Tool) -> Option<String> {
    match tool.command_line()?.words.into_iter().next()? {
        Word::Literal(name) => Some(name),
        Word::Template(_) => None,
    }
}

/// The template of a command that sets `names`, whose values only the user knows: in the
/// project's `.env` unless that may not.
fn assignment(names: &[String]) -> String {
    let is_refused = names.iter().any(|name| refusal(name).is_some());
    let values = names.iter().map(|name| format!("{name}=…"));
    let values: Vec<String> = values.collect();
    if is_refused {
        format!("set them: export {}", values.join(" "))
    } else {
        // The file may end without a line end.
        format!("set them: printf '\\n{}\\n' >> .env", values.join("\\n"))
    }
}

/// The first error of a file, and the number of `more`, which the linter reports.
fn invalid_tool(diagnostic: &Diagnostic, more: usize, consequence: &str, cx: &Context) -> Finding {
    let line = diagnostic.summary();
    let message = match more {
        0 => format!("{line}: {consequence}"),
        more => format!("{line} (and {more} more): {consequence}"),
    };
    let file = diagnostic.location.as_ref().map_or_else(
        || diagnostic.subject.clone(),
        |location| location.file.display().to_string(),
    );
    let problem = Finding::problem(message).omitting(diagnostic.omission.as_deref());
    // A tool of a provider has no file to lint.
    let is_file = cx.host.cwd.join(&file).is_file();
    if is_file && lint::fixes_all(&file, &cx.host) {
        return problem.fix(format!("cogtools lint --fix {}", quote(&file)));
    }
    let lint = is_file.then(|| format!("cogtools lint {} shows all of it", quote(&file)));
    let hint = diagnostic.hints.first();
    let advice: Vec<String> = hint
        .map(|hint| render_hint(hint).into_owned())
        .into_iter()
        .chain(lint)
        .collect();
    problem.hint(advice.join("; "))
}

/// An example that the tool itself rejects; models copy it all the same.
fn invalid_example(tool: &Tool) -> Option<Finding> {
    let diagnostics = tool.check_examples();
    let line = diagnostics.first()?.summary();
    let file = tool.file().display();
    Some(Finding::warning(line).hint(format!("correct the example in {file}")))
}
