//! Templates held against the parameters they are rendered over.

use cogtools_core::tool::TemplateSource;
use cogtools_core::{Level, Tool};
use cogtools_program::render_hints;
use njk::{Analysis, Read};

use crate::finding::Findings;
use crate::included_templates::{self, IncludedTemplate};
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "template-error",
        level: Level::Error,
        summary: "a template that does not compile, or names a filter, a test or a file that is not there",
        why: "every call fails, or fails as soon as it comes to that line; the model can do nothing about it",
        fix: "mend the template",
        fixable: false,
        fails: case!("template-error/fails"),
        passes: case!("template-error/passes"),
        check: broken,
    },
    Rule {
        name: "undeclared-variable",
        level: Level::Error,
        summary: "a variable of the template that no parameter declares",
        why: "no call can give it: arguments that are not declared are refused, and the variable renders as nothing",
        fix: "declare the parameter, or correct the name",
        fixable: false,
        fails: case!("undeclared-variable/fails"),
        passes: case!("undeclared-variable/passes"),
        check: undeclared,
    },
    Rule {
        name: "unused-parameter",
        level: Level::Warn,
        summary: "a parameter that the template never uses",
        why: "a model spends tokens on a value that changes nothing",
        fix: "use it in the template, or remove it",
        fixable: false,
        fails: case!("unused-parameter/fails"),
        passes: case!("unused-parameter/passes"),
        check: unused,
    },
    Rule {
        name: "unguarded-optional",
        level: Level::Warn,
        summary: "an optional parameter that the template uses without asking whether it was given",
        why: "when a call leaves it out it renders as nothing, and a heading or a sentence around it stays behind",
        fix: "put it under `{% if name %}`, write `{{ name or \"…\" }}`, or give the parameter a default",
        fixable: false,
        fails: case!("unguarded-optional/fails"),
        passes: case!("unguarded-optional/passes"),
        check: unguarded,
    },
];

/// The tool's own templates that can be understood.
fn own_templates(file: &LintFile) -> Vec<(TemplateSource, Analysis)> {
    file.tool
        .iter()
        .flat_map(included_templates::all)
        .filter(|template| template.own)
        .filter_map(|template| Some((template.written, template.analysis.ok()?)))
        .collect()
}

fn broken(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let diagnostic = tool.check_implementation();
    let reported = diagnostic
        .as_ref()
        .and_then(|diagnostic| diagnostic.location.clone());
    if let Some(diagnostic) = diagnostic {
        let finding = match diagnostic.location.clone() {
            Some(location) => findings.location(location, diagnostic.message.clone()),
            None => findings.file(diagnostic.message.clone()),
        };
        if !diagnostic.hints.is_empty() {
            finding.fix(render_hints(&diagnostic.hints).join("; "));
        }
    }
    for IncludedTemplate {
        written,
        analysis,
        own,
    } in included_templates::all(tool)
    {
        let (errors, names) = match &analysis {
            Ok(analysis) => (analysis.unknown.as_slice(), analysis.templates.as_slice()),
            // The check above says it of the tool's own.
            Err(_) if own => continue,
            Err(error) => (std::slice::from_ref(error), [].as_slice()),
        };
        for error in errors {
            let location = written.location(error.line(), error.column(), error.length());
            // The check above stops at the first of them.
            if reported.as_ref() == Some(&location) {
                continue;
            }
            let finding = findings.location(location, error.message());
            if let Some(hint) = error.hint() {
                finding.fix(hint);
            }
        }
        for name in names {
            absent(tool, &written, name, findings);
        }
    }
}

fn absent(tool: &Tool, template: &TemplateSource, name: &str, findings: &mut Findings<'_>) {
    let line = template
        .source()
        .lines()
        .enumerate()
        .find_map(|(index, line)| Some((index + 1, line, line.find(name)?)));
    let Some((number, line, at)) = line else {
        return;
    };
    if included_templates::partial(tool, name).is_none() && !line.contains("ignore missing") {
        let column = line[..at].chars().count() + 1;
        let location = template.location(number, column, name.chars().count());
        findings
            .location(location, format!("no template `{name}` is beside the tool"))
            .fix("put the file into the folder of the tool, or below it");
    }
}

fn undeclared(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let Some(names) = tool.schema().names() else {
        return;
    };
    let reached: Vec<(IncludedTemplate, Analysis)> = included_templates::all(tool)
        .into_iter()
        .filter_map(|template| Some((template.analysis.clone().ok()?, template)))
        .map(|(analysis, template)| (template, analysis))
        .collect();
    for (template, analysis) in &reached {
        // What is included sees what the one that includes it has bound by then.
        let bound = |name: &String| reached.iter().any(|(_, other)| other.binds.contains(name));
        let unknown = analysis.reads.iter().filter(|read| {
            !names.contains(&read.name.as_str()) && (template.own || !bound(&read.name))
        });
        for read in unknown {
            let meant = cogtools_core::suggest::did_you_mean(&read.name, names.iter().copied());
            let finding = findings.location(
                location(&template.written, read),
                format!("no parameter is named `{}`", read.name),
            );
            if let Some(meant) = meant {
                finding.fix(meant);
            }
        }
    }
}

fn unused(file: &LintFile, findings: &mut Findings<'_>) {
    let Some(tool) = &file.tool else {
        return;
    };
    let reached = included_templates::all(tool);
    // A template that does not compile uses nothing, and has a rule of its own.
    if !tool.is_template() || !reached.iter().any(|template| template.analysis.is_ok()) {
        return;
    }
    let used = |name: &str| {
        let mut read = reached
            .iter()
            .flat_map(|it| &it.analysis)
            .flat_map(|it| &it.reads);
        read.any(|read| read.name == name)
    };
    for (name, _, site) in file.parameters() {
        if !used(name) {
            let message = format!("the template never uses `{name}`");
            findings.at(file.locate(&site.pointer), message);
        }
    }
}

fn unguarded(file: &LintFile, findings: &mut Findings<'_>) {
    let parameters = file.parameters();
    let may_lack = |name: &str| {
        let mut found = parameters.iter().filter(|(other, ..)| *other == name);
        found.any(|(_, required, site)| !required && !site.schema.contains_key("default"))
    };
    for (template, analysis) in own_templates(file) {
        for read in analysis
            .reads
            .iter()
            .filter(|read| !read.guarded && may_lack(&read.name))
        {
            let name = &read.name;
            findings
                .location(location(&template, read), format!("`{name}` may be left out, and is not asked for"))
                .fix(format!(
                    "put it under `{{% if {name} %}}`, write `{{{{ {name} or \"…\" }}}}`, or give it a default"
                ));
        }
    }
}

fn location(template: &TemplateSource, read: &Read) -> cogtools_core::Location {
    template.location(read.line, read.column, read.name.chars().count())
}
