//! What the types of the parameters contradict in a template.

use cogtools_core::Level;
use njk::types::Problem;

use crate::finding::Findings;
use crate::lint_file::LintFile;
use crate::rule::{Rule, case};

pub(super) static RULES: &[Rule] = &[
    Rule {
        name: "unknown-member",
        level: Level::Error,
        summary: "a member that the value does not have: one that the schema does not declare, one of text or a number, or one that `loop` does not have",
        why: "it renders as nothing, or the call fails; the schema says that no call can have it",
        fix: "correct the name, or declare the property",
        fixable: false,
        fails: case!("unknown-member/fails"),
        passes: case!("unknown-member/passes"),
        check: unknown_member,
    },
    Rule {
        name: "printed-object",
        level: Level::Error,
        summary: "an object, or a list of objects, that the template prints",
        why: "it renders as `[object Object]`, and the model learns nothing",
        fix: "print its members, or write `| dump`",
        fixable: false,
        fails: case!("printed-object/fails"),
        passes: case!("printed-object/passes"),
        check: printed_object,
    },
    Rule {
        name: "wrong-loop",
        level: Level::Error,
        summary: "a loop over what is not a list: a string, a number, a boolean, or an object with one variable",
        why: "the loop does nothing, or goes through the characters of a text",
        fix: "loop over a list, or write `{% for key, value in object %}`",
        fixable: false,
        fails: case!("wrong-loop/fails"),
        passes: case!("wrong-loop/passes"),
        check: wrong_loop,
    },
    Rule {
        name: "wrong-operand",
        level: Level::Error,
        summary: "a filter or an operator that fails with every value of its operand",
        why: "the call fails when it reaches it; the model can do nothing about it",
        fix: "apply it to another value",
        fixable: false,
        fails: case!("wrong-operand/fails"),
        passes: case!("wrong-operand/passes"),
        check: wrong_operand,
    },
    Rule {
        name: "impossible-comparison",
        level: Level::Error,
        summary: "a comparison that can never hold: with a value that the enum does not have, of another type, or out of bounds",
        why: "the branch is never taken, or always",
        fix: "correct the value, or add it to the schema",
        fixable: false,
        fails: case!("impossible-comparison/fails"),
        passes: case!("impossible-comparison/passes"),
        check: impossible_comparison,
    },
    Rule {
        name: "missing-case",
        level: Level::Warn,
        summary: "a `switch`, or a chain of `if`, over an enum that leaves out some of its values",
        why: "for these it prints nothing",
        fix: "add the values, or `{% else %}`",
        fixable: false,
        fails: case!("missing-case/fails"),
        passes: case!("missing-case/passes"),
        check: missing_case,
    },
    Rule {
        name: "dropped-value",
        level: Level::Warn,
        summary: "a check whether a value is set that also drops `0` or `false`, which the schema allows",
        why: "the call says 0, and the model reads nothing or a default",
        fix: "write `is defined`, or `| default(…)`; if 0 means nothing, declare `minimum: 1`",
        fixable: false,
        fails: case!("dropped-value/fails"),
        passes: case!("dropped-value/passes"),
        check: dropped_value,
    },
    Rule {
        name: "unreachable-branch",
        level: Level::Warn,
        summary: "a branch that no valid call takes",
        why: "what it says is never printed: a list that is empty holds like any other, and a required parameter is always defined",
        fix: "correct the condition, or remove the branch",
        fixable: false,
        fails: case!("unreachable-branch/fails"),
        passes: case!("unreachable-branch/passes"),
        check: unreachable_branch,
    },
    Rule {
        name: "macro-arguments",
        level: Level::Error,
        summary: "a call of a macro without an argument that it uses, with too many, or with one by a name that it does not have; an import that the file does not define",
        why: "what is missing renders as nothing, what is too much is ignored",
        fix: "correct the call, or the macro",
        fixable: false,
        fails: case!("macro-arguments/fails"),
        passes: case!("macro-arguments/passes"),
        check: macro_arguments,
    },
    Rule {
        name: "unused-definition",
        level: Level::Warn,
        summary: "a macro, a macro's parameter, a variable, a block or an import that nothing uses",
        why: "it is left over, or what should use it has another name",
        fix: "remove it, or use it",
        fixable: false,
        fails: case!("unused-definition/fails"),
        passes: case!("unused-definition/passes"),
        check: unused_definition,
    },
    Rule {
        name: "unsafe-include",
        level: Level::Error,
        summary: "a template that loads itself, or one that an argument names",
        why: "the call fails when the limit of nesting is reached, or a model chooses which file it reads",
        fix: "load a fixed template, or declare an enum",
        fixable: false,
        fails: case!("unsafe-include/fails"),
        passes: case!("unsafe-include/passes"),
        check: unsafe_include,
    },
    Rule {
        name: "not-json",
        level: Level::Error,
        summary: "a template whose output is declared as JSON and cannot be, or breaks with a quote in an argument",
        why: "the call fails, at the latest with such an argument",
        fix: "print values with `| dump`, and nothing but JSON",
        fixable: false,
        fails: case!("not-json/fails"),
        passes: case!("not-json/passes"),
        check: not_json,
    },
    Rule {
        name: "jinja-habit",
        level: Level::Error,
        summary: "what Jinja has and Nunjucks takes in silence for something else, such as `xs[-1]` or `selectattr` with a test",
        why: "it renders without an error, and differently",
        fix: "write what Nunjucks has for it",
        fixable: false,
        fails: case!("jinja-habit/fails"),
        passes: case!("jinja-habit/passes"),
        check: jinja_habit,
    },
];

/// Reports the problems of one rule, each at its location.
pub(super) fn report(
    file: &LintFile,
    findings: &mut Findings<'_>,
    is_of_rule: impl Fn(&Problem) -> bool,
) {
    let problems = file.types().problems.iter();
    for (location, problem) in problems.filter(|(_, problem)| is_of_rule(problem)) {
        let finding = findings.report_at(location.clone(), problem.to_string());
        if let Some(hint) = problem.hint() {
            finding.fix(hint);
        }
    }
}

fn unknown_member(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(
            problem,
            Problem::UnknownMember { .. }
                | Problem::ScalarMember { .. }
                | Problem::LoopMember { .. }
                | Problem::NotCallable { .. }
        )
    });
}

fn printed_object(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::PrintedObject { .. })
    });
}

fn wrong_loop(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(
            problem,
            Problem::LoopOverScalar { .. }
                | Problem::LoopOverObject { .. }
                | Problem::Unpacked { .. }
        )
    });
}

fn wrong_operand(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(
            problem,
            Problem::WrongOperand { .. }
                | Problem::ComparedList { .. }
                | Problem::ComparedText { .. }
        )
    });
}

fn impossible_comparison(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::Impossible { .. })
    });
}

fn missing_case(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::MissingCase { .. })
    });
}

fn dropped_value(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::Dropped { .. })
    });
}

fn unreachable_branch(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::NeverTaken { .. })
    });
}

fn macro_arguments(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(
            problem,
            Problem::MissingArgument { .. }
                | Problem::ExtraArgument { .. }
                | Problem::UnknownArgument { .. }
                | Problem::MissingExport { .. }
        )
    });
}

fn unused_definition(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::Unused { .. })
    });
}

fn unsafe_include(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(
            problem,
            Problem::Recursive { .. } | Problem::FromArgument { .. }
        )
    });
}

fn not_json(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::NotJson(_))
    });
}

fn jinja_habit(file: &LintFile, findings: &mut Findings<'_>) {
    report(file, findings, |problem| {
        matches!(problem, Problem::Habit(_))
    });
}
