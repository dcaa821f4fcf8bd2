//! Contradictions between a template and the types of its parameters.

use cogtools_core::Level;
use njk::types::Problem;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::linter::{Rule, example};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "unknown-member",
        level: Level::Error,
        summary: "a member that the value does not have: one that the schema does not declare, one of text or a number, or one that `loop` does not have",
        why: "it renders as nothing, or the call fails; the schema says that no call can have it",
        fix: "correct the name, or declare the property",
        example: example!("unknown-member"),
        check: contradicted,
    },
    Rule {
        name: "printed-object",
        level: Level::Error,
        summary: "an object, or a list of objects, that the template prints",
        why: "it renders as `[object Object]`, and the model learns nothing",
        fix: "print its members, or write `| dump`",
        example: example!("printed-object"),
        check: contradicted,
    },
    Rule {
        name: "wrong-loop",
        level: Level::Error,
        summary: "a loop over what is not a list: a string, a number, a boolean, or an object with one variable",
        why: "the loop does nothing, or goes through the characters of a text",
        fix: "loop over a list, or write `{% for key, value in object %}`",
        example: example!("wrong-loop"),
        check: contradicted,
    },
    Rule {
        name: "wrong-operand",
        level: Level::Error,
        summary: "a filter or an operator that fails with every value of its operand",
        why: "the call fails when it reaches it; the model can do nothing about it",
        fix: "apply it to another value",
        example: example!("wrong-operand"),
        check: contradicted,
    },
    Rule {
        name: "impossible-comparison",
        level: Level::Error,
        summary: "a comparison that can never hold: with a value that the enum does not have, of another type, or out of bounds",
        why: "the branch is never taken, or always",
        fix: "correct the value, or add it to the schema",
        example: example!("impossible-comparison"),
        check: contradicted,
    },
    Rule {
        name: "unreachable-branch",
        level: Level::Warn,
        summary: "a branch that no valid call takes",
        why: "what it says is never printed: a list that is empty holds like any other, and a required parameter is always defined",
        fix: "correct the condition, or remove the branch",
        example: example!("unreachable-branch"),
        check: contradicted,
    },
    Rule {
        name: "macro-arguments",
        level: Level::Error,
        summary: "a call of a macro without an argument that it uses, with too many, or with one by a name that it does not have; an import that the file does not define",
        why: "what is missing renders as nothing, what is too much is ignored",
        fix: "correct the call, or the macro",
        example: example!("macro-arguments"),
        check: contradicted,
    },
    Rule {
        name: "unused-definition",
        level: Level::Warn,
        summary: "a macro, a macro's parameter, a variable, a block or an import that nothing uses",
        why: "it is left over, or what should use it has another name",
        fix: "remove it, or use it",
        example: example!("unused-definition"),
        check: contradicted,
    },
    Rule {
        name: "unsafe-include",
        level: Level::Error,
        summary: "a template that loads itself, or one that an argument names",
        why: "the call fails when the limit of nesting is reached, or a model chooses which file it reads",
        fix: "load a fixed template, or declare an enum",
        example: example!("unsafe-include"),
        check: contradicted,
    },
    Rule {
        name: "jinja-habit",
        level: Level::Error,
        summary: "what Jinja has and Nunjucks takes in silence for something else, such as `xs[-1]` or `selectattr` with a test",
        why: "it renders without an error, and differently",
        fix: "write what Nunjucks has for it",
        example: example!("jinja-habit"),
        check: contradicted,
    },
];

/// The rule that reports a problem.
const fn rule_of(problem: &Problem) -> &'static str {
    match problem {
        Problem::UnknownMember { .. }
        | Problem::ScalarMember { .. }
        | Problem::LoopMember { .. }
        | Problem::NotCallable { .. } => "unknown-member",
        Problem::PrintedObject { .. } => "printed-object",
        Problem::LoopOverScalar { .. }
        | Problem::LoopOverObject { .. }
        | Problem::Unpacked { .. } => "wrong-loop",
        Problem::WrongOperand { .. }
        | Problem::ComparedList { .. }
        | Problem::ComparedText { .. } => "wrong-operand",
        Problem::Impossible { .. } => "impossible-comparison",
        Problem::NeverTaken { .. } => "unreachable-branch",
        Problem::MissingArgument { .. }
        | Problem::ExtraArgument { .. }
        | Problem::UnknownArgument { .. }
        | Problem::MissingExport { .. } => "macro-arguments",
        Problem::Unused { .. } => "unused-definition",
        Problem::Recursive { .. } | Problem::FromArgument { .. } => "unsafe-include",
        Problem::Habit(_) => "jinja-habit",
        _ => "unguarded-optional",
    }
}

/// Reports the problems of the rule, each at its location.
pub(super) fn contradicted(file: &LintFile, findings: &mut Findings<'_>) {
    let rule = findings.rule();
    for (location, problem) in &file.types().problems {
        if rule_of(problem) == rule {
            let finding = findings.report_at(location.clone(), problem.to_string());
            let hint = match problem {
                Problem::Unguarded { value } if file.implementation("http").is_some() => Some(
                    format!("require it, write `{{{{ {value} or \"…\" }}}}`, or give it a default"),
                ),
                _ => problem.hint(),
            };
            finding.meant_or(problem.meant(), hint);
        }
    }
}
