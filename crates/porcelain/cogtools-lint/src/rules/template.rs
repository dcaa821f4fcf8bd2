//! Templates checked against the parameters that they are rendered with.

use cogtools_core::pointer::segments;
use cogtools_core::suggest::Suggestion;
use cogtools_core::text::Span;
use cogtools_core::tool::{LoadedTemplate, RESPONSE_VARIABLES, TOOL_DIR, TemplateSource};
use cogtools_core::{Level, Tool};
use njk::Analysis;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};
use crate::rules::types::contradicted;

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "template-error",
        level: Level::Error,
        summary: "a template that does not compile, refers to a filter, a test or a file that does not exist, or passes a filter too few arguments, or by name what it takes by position",
        why: "every call fails, or fails when it reaches that line; the model can do nothing about it",
        fix: "correct what is marked; the reference of templates lists the tags, filters and tests",
        example: example!("template-error"),
        check: template_error,
    },
    Rule {
        name: "undeclared-variable",
        level: Level::Error,
        summary: "a variable of the template that no parameter declares, or that no response has",
        why: "no call can set it: undeclared arguments are rejected, and the variable renders as nothing",
        fix: "declare the parameter, or correct the name",
        example: example!("undeclared-variable"),
        check: undeclared_variable,
    },
    Rule {
        name: "unused-parameter",
        level: Level::Warn,
        summary: "a parameter, or a property of one, that the template or the request never uses",
        why: "a model spends tokens on a value that changes nothing",
        fix: "use it in the template, or remove it",
        example: example!("unused-parameter"),
        check: unused_parameter,
    },
    Rule {
        name: "unguarded-optional",
        level: Level::Warn,
        summary: "an optional parameter, or an optional property of one, that the template uses without checking whether it is set",
        why: "if a call omits it, it renders as nothing, and the heading or sentence around it remains",
        fix: "put it under `{% if name %}`, write `{{ name or \"…\" }}`, or give the parameter a default",
        example: example!("unguarded-optional"),
        check: contradicted,
    },
];

fn template_error(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let diagnostic = tool.check_implementation();
    if let Some(diagnostic) = &diagnostic {
        findings.report_diagnostic(diagnostic, template_key(file));
    }
    let reported = diagnostic.and_then(|diagnostic| diagnostic.location);
    for LoadedTemplate {
        source,
        analysis,
        is_own,
    } in tool.loaded_templates()
    {
        let (unknown, misused, names) = match &analysis {
            Ok(found) => (&*found.unknown, &*found.misused, &*found.templates),
            // The check above reports the tool's own templates.
            Err(_) if is_own => continue,
            Err(error) => (std::slice::from_ref(error), &[][..], &[][..]),
        };
        for error in unknown.iter().chain(misused) {
            let location = source.location(error.line(), error.column(), error.length());
            // The check above reports the first error only.
            if reported.as_ref() == Some(&location) {
                continue;
            }
            let finding = findings.report_at(location, error.message());
            finding.meant_or(error.meant(), error.hint());
        }
        for name in names {
            missing_template(tool, &source, name, findings);
        }
    }
}

/// The key that names the template's file, or the implementation.
fn template_key(file: &LintFile) -> Span {
    let whole = file.entry("implementation");
    let inner = whole.and_then(|entry| entry.value.entries()?.first());
    let entry = inner.or(whole);
    entry.map_or(Span { start: 0, end: 1 }, |entry| entry.span)
}

fn missing_template(
    tool: &Tool,
    template: &TemplateSource,
    name: &str,
    findings: &mut Findings<'_>,
) {
    let mut lines = (1..).zip(template.source().lines());
    let line = lines.find_map(|(number, line)| Some((number, line, line.find(name)?)));
    let Some((number, line, at)) = line else {
        return;
    };
    let found = njk::resolve(template.name(), name).and_then(|name| tool.partial(&name));
    if found.is_none() && !line.contains("ignore missing") {
        let column = line[..at].chars().count() + 1;
        let location = template.location(number, column, name.chars().count());
        findings
            .report_at(
                location,
                format!("there is no template `{name}` next to the tool"),
            )
            .fix("put the file in the folder of the tool, or below it");
    }
}

fn undeclared_variable(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let Some(parameters) = tool.schema.names() else {
        return;
    };
    let templates = tool.loaded_templates();
    let templates: Vec<(Analysis, LoadedTemplate)> = templates
        .filter_map(|template| Some((template.analysis.clone().ok()?, template)))
        .collect();
    let added = file.implementation("exec").map(|_| TOOL_DIR);
    let added = added.or(file.implementation("http").map(|_| "args"));
    for (analysis, template) in &templates {
        let of_response = template.source.reads_response;
        let names = if of_response {
            &RESPONSE_VARIABLES[..]
        } else {
            &parameters
        };
        // An included template sees the variables that the including one has set.
        let bound = |name: &String| templates.iter().any(|(it, _)| it.binds.contains(name));
        let undeclared = analysis.reads.iter().filter(|read| {
            let mut known = names.iter().copied().chain(added);
            let is_known = known.any(|name| name == read.name);
            let is_added = template.source.is_added(read.line, read.column);
            !is_known && !is_added && (template.is_own || !bound(&read.name))
        });
        for read in undeclared {
            let suggestion = Suggestion::of(&read.name, names.iter().copied());
            let width = read.name.chars().count();
            let name = &read.name;
            let message = if of_response {
                format!("`response` has no variable `{name}`")
            } else {
                format!("no parameter is named `{name}`")
            };
            let location = template.source.location(read.line, read.column, width);
            let finding = findings.report_at(location, message);
            if of_response && parameters.contains(&&**name) {
                finding.fix(format!("write `args.{name}`"));
            } else if let Some(suggestion) = suggestion {
                finding.fix(suggestion);
            } else if of_response {
                let others = "there are also `status`, `headers`, `args` and `more`";
                finding.fix(format!(
                    "write `body.NAME` for a member of the body; {others}"
                ));
            } else if ["args", "arguments", "parameters", "params"].contains(&&*read.name) {
                finding.fix("the parameters are the variables: `{{ name }}`");
            }
        }
    }
}

fn unused_parameter(file: &LintFile, findings: &mut Findings<'_>) {
    let user = match file.implementation("http") {
        Some(_) => "request",
        None => "template",
    };
    let unused = &file.types().unused;
    for pointer in unused {
        // They are sorted.
        let is_unused = |outer: &str| unused.binary_search_by(|it| (**it).cmp(outer)).is_ok();
        let mut ends = pointer.match_indices('/').map(|(end, _)| end);
        if !ends.any(|end| is_unused(&pointer[..end])) {
            let path = property_names(pointer).join(".");
            let message = format!("the {user} never uses `{path}`");
            findings.report(file.locate(pointer), message);
        }
    }
}

/// The names of the nested properties that a pointer into a schema goes through.
fn property_names(pointer: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut segments = segments(pointer).into_iter();
    while let Some(segment) = segments.next() {
        if segment == "properties" {
            names.extend(segments.next());
        }
    }
    names
}
