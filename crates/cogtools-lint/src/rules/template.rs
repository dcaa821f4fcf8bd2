//! Templates held against the parameters they are rendered over.

use cogtools_core::implementation::{Implementation, Written};
use cogtools_core::{Level, Tool};
use njk::{Analysis, Read, analyse};

use crate::finding::Findings;
use crate::rule::{Rule, case};
use crate::subject::Subject;

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

fn templates(subject: &Subject) -> Vec<(Written, Analysis)> {
    let written = subject.tool.iter().flat_map(Tool::templates);
    written
        .filter_map(|template| Some((analyse(template.source()).ok()?, template)))
        .map(|(analysis, template)| (template, analysis))
        .collect()
}

fn broken(subject: &Subject, findings: &mut Findings<'_>) {
    let Some(tool) = &subject.tool else {
        return;
    };
    let fault = tool.check_implementation();
    let told = fault.as_ref().and_then(|fault| fault.place.clone());
    if let Some(fault) = fault {
        let noted = match fault.place.clone() {
            Some(place) => findings.place(place, fault.message.clone()),
            None => findings.file(fault.message.clone()),
        };
        if !fault.hints.is_empty() {
            noted.fix(fault.hints.join("; "));
        }
    }
    for (template, analysis) in templates(subject) {
        for error in &analysis.unknown {
            let place = template.place(error.line(), error.column(), error.length());
            // The check above stops at the first of them.
            if told.as_ref() == Some(&place) {
                continue;
            }
            let noted = findings.place(place, error.message());
            if let Some(hint) = error.hint() {
                noted.fix(hint);
            }
        }
        for name in &analysis.templates {
            absent(tool, &template, name, findings);
        }
    }
}

fn absent(tool: &Tool, template: &Written, name: &str, findings: &mut Findings<'_>) {
    let source = template.source();
    let lines = source.lines().enumerate();
    let line = lines
        .into_iter()
        .find_map(|(index, line)| Some((index + 1, line, line.find(name)?)));
    let Some((number, line, at)) = line else {
        return;
    };
    if partial(tool, name).is_none() && !line.contains("ignore missing") {
        let column = line[..at].chars().count() + 1;
        let place = template.place(number, column, name.chars().count());
        findings
            .place(place, format!("no template `{name}` is beside the tool"))
            .fix("put the file into the folder of the tool, or below it");
    }
}

fn partial(tool: &Tool, name: &str) -> Option<Written> {
    tool.partial(name.strip_prefix("./").unwrap_or(name))
}

fn undeclared(subject: &Subject, findings: &mut Findings<'_>) {
    let Some(names) = subject.tool.as_ref().and_then(|tool| tool.schema().names()) else {
        return;
    };
    for (template, analysis) in templates(subject) {
        for read in analysis
            .reads
            .iter()
            .filter(|read| !names.contains(&read.name.as_str()))
        {
            let meant = cogtools_core::suggest::did_you_mean(&read.name, names.iter().copied());
            let noted = findings.place(
                place(&template, read),
                format!("no parameter is named `{}`", read.name),
            );
            if let Some(meant) = meant {
                noted.fix(meant);
            }
        }
    }
}

fn unused(subject: &Subject, findings: &mut Findings<'_>) {
    let Some(tool) = &subject.tool else {
        return;
    };
    let rendered = matches!(
        tool.implementation(),
        Implementation::Template(_) | Implementation::TemplateFile(_)
    );
    let templates = templates(subject);
    // A template that does not compile uses nothing, and has a rule of its own.
    if !rendered || templates.is_empty() {
        return;
    }
    let mut used = Vec::new();
    let mut seen = Vec::new();
    for (_, analysis) in templates {
        collect(tool, analysis, &mut used, &mut seen);
    }
    for (name, _, site) in subject.parameters() {
        if !used.iter().any(|used| used == name) {
            let message = format!("the template never uses `{name}`");
            findings.at(subject.locate(&site.pointer), message);
        }
    }
}

/// Adds what a template and the templates that it includes read.
fn collect(tool: &Tool, analysis: Analysis, used: &mut Vec<String>, seen: &mut Vec<String>) {
    used.extend(analysis.reads.into_iter().map(|read| read.name));
    for name in analysis.templates {
        if seen.contains(&name) {
            continue;
        }
        let inner = partial(tool, &name).and_then(|written| analyse(written.source()).ok());
        seen.push(name);
        if let Some(inner) = inner {
            collect(tool, inner, used, seen);
        }
    }
}

fn unguarded(subject: &Subject, findings: &mut Findings<'_>) {
    let parameters = subject.parameters();
    let may_lack = |name: &str| {
        let mut found = parameters.iter().filter(|(other, ..)| *other == name);
        found.any(|(_, required, site)| !required && !site.schema.contains_key("default"))
    };
    for (template, analysis) in templates(subject) {
        for read in analysis
            .reads
            .iter()
            .filter(|read| !read.guarded && may_lack(&read.name))
        {
            let name = &read.name;
            findings
                .place(place(&template, read), format!("`{name}` may be left out, and is not asked for"))
                .fix(format!(
                    "put it under `{{% if {name} %}}`, write `{{{{ {name} or \"…\" }}}}`, or give it a default"
                ));
        }
    }
}

fn place(template: &Written, read: &Read) -> cogtools_core::Place {
    template.place(read.line, read.column, read.name.chars().count())
}
