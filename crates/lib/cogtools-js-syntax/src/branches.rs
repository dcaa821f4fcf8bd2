//! Branches of JavaScript, and code that reports which of them it takes.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    ConditionalExpression, IfStatement, LogicalExpression, Statement, SwitchStatement,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, SourceType};

use crate::body_parser;
use crate::nesting::{MAX_NESTING, nesting, on_large_stack};
use crate::typescript::{offsets, strip_types};

/// The function that the code calls for each branch.
const TAKE: &str = "__cogtools_take";

/// A branch of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsBranch {
    /// Offsets of its condition in the code.
    pub range: Range<usize>,
    /// Its condition as text, such as `if note` or `else of if note`.
    pub condition: String,
}

/// Code with counters, and its branches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedCode {
    /// The body of a function that returns the sorted indexes of the branches that it has taken,
    /// even if the original code throws.
    pub code: String,
    /// The branches, in the order of the code.
    pub branches: Vec<JsBranch>,
}

/// Counts the branches of `code`, the body of a function, an async one if `is_async`. Returns
/// nothing if it does not parse.
pub fn count_branches(code: &str, is_async: bool) -> Option<CountedCode> {
    on_large_stack(|| count(code, is_async))?
}

fn count(code: &str, is_async: bool) -> Option<CountedCode> {
    let stripped = strip_types(code).ok()?;
    let code = stripped.as_deref().unwrap_or(code);
    if nesting(code) > MAX_NESTING {
        return None;
    }
    let allocator = Allocator::default();
    // The body of an async function parses as one.
    let (before, after) = if is_async {
        ("async()=>{", "}")
    } else {
        ("", "")
    };
    let text = format!("{before}{code}\n{after}");
    let parsed = body_parser(&allocator, &text, SourceType::script()).parse();
    if !parsed.diagnostics.is_empty() {
        return None;
    }
    let mut counter = Counter {
        text: &text,
        insertions: Vec::new(),
        branches: Vec::new(),
    };
    counter.visit_program(&parsed.program);
    let Counter {
        mut insertions,
        mut branches,
        ..
    } = counter;
    insertions.sort_by_key(|(at, _)| *at);
    let (asynchronous, awaited) = if is_async {
        ("async", "await ")
    } else {
        ("", "")
    };
    let mut counted = format!(
        "const __taken=new Set();const {TAKE}=n=>{{__taken.add(n)}};\
         try{{{awaited}({asynchronous}()=>{{\n"
    );
    let mut rest = before.len();
    for (at, inserted) in insertions {
        counted.push_str(&text[rest..at]);
        counted.push_str(&inserted);
        rest = at;
    }
    counted.push_str(&text[rest..text.len() - after.len()]);
    counted.push_str("})()}catch(_){}return[...__taken].sort((a,b)=>a-b)");
    for branch in &mut branches {
        branch.range = branch.range.start - before.len()..branch.range.end - before.len();
    }
    Some(CountedCode {
        code: counted,
        branches,
    })
}

/// Visits code and inserts calls.
struct Counter<'c> {
    text: &'c str,
    /// Texts by their offsets. At the same offset, the end of what is inside comes first.
    insertions: Vec<(usize, String)>,
    branches: Vec<JsBranch>,
}

impl Counter<'_> {
    /// Adds the branch of a `node` with this `condition`, and returns the call that counts it.
    fn branch(&mut self, node: &impl GetSpan, condition: impl Fn(&str) -> String) -> String {
        let range = offsets(node.span());
        let text = self.text[range.clone()].split_whitespace();
        let condition = condition(&text.collect::<Vec<_>>().join(" "));
        self.branches.push(JsBranch { range, condition });
        format!("{TAKE}({})", self.branches.len() - 1)
    }

    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.insertions.push((at, text.into()));
    }

    /// Visits a statement that begins with `call`.
    fn statement(&mut self, statement: &Statement<'_>, call: &str) {
        let span = offsets(statement.span());
        if let Statement::BlockStatement(block) = statement {
            self.insert(span.start + 1, format!("{call};"));
            walk::walk_block_statement(self, block);
        } else {
            self.insert(span.start, format!("{{{call};"));
            walk::walk_statement(self, statement);
            self.insert(span.end, "}");
        }
    }
}

impl<'a> Visit<'a> for Counter<'_> {
    fn visit_if_statement(&mut self, it: &IfStatement<'a>) {
        let taken = self.branch(&it.test, |test| format!("if {test}"));
        let other = self.branch(&it.test, |test| format!("else of if {test}"));
        self.visit_expression(&it.test);
        self.statement(&it.consequent, &taken);
        if let Some(alternate) = &it.alternate {
            self.statement(alternate, &other);
        } else {
            let end = offsets(it.consequent.span()).end;
            self.insert(end, format!("else{{{other}}}"));
        }
    }

    fn visit_conditional_expression(&mut self, it: &ConditionalExpression<'a>) {
        let taken = self.branch(&it.test, |test| format!("{test} ?"));
        let other = self.branch(&it.test, |test| format!("else of {test} ?"));
        self.visit_expression(&it.test);
        for (part, call) in [(&it.consequent, taken), (&it.alternate, other)] {
            let span = offsets(part.span());
            self.insert(span.start, format!("({call},"));
            self.visit_expression(part);
            self.insert(span.end, ")");
        }
    }

    fn visit_logical_expression(&mut self, it: &LogicalExpression<'a>) {
        let operator = it.operator.as_str();
        let call = self.branch(&it.left, |left| format!("right of {left} {operator}"));
        self.visit_expression(&it.left);
        let span = offsets(it.right.span());
        self.insert(span.start, format!("({call},"));
        self.visit_expression(&it.right);
        self.insert(span.end, ")");
    }

    fn visit_switch_statement(&mut self, it: &SwitchStatement<'a>) {
        self.visit_expression(&it.discriminant);
        for case in &it.cases {
            // An empty case goes on to the next one.
            if let Some(first) = case.consequent.first() {
                let call = match &case.test {
                    Some(test) => self.branch(test, |test| format!("case {test}")),
                    None => self.branch(&it.discriminant, |of| format!("default of switch {of}")),
                };
                self.insert(offsets(first.span()).start, format!("{call};"));
            }
            self.visit_switch_case(case);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_code_is_counted_on_a_thread_with_a_small_stack() {
        let code = format!("return {}1{}", "(".repeat(490), ")".repeat(490));
        let builder = std::thread::Builder::new().stack_size(256 << 10);
        let thread = builder.spawn(move || count_branches(&code, false));
        let counted = thread.expect("a thread").join().expect("no panic");
        assert!(counted.is_some());
    }
}
