//! The code as the body of a function, and its result as text.

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Result, Value};

/// Compiles `code` as the body of a strict function with the parameter `args`, an async one if
/// `prefix` says so.
///
/// The engine has no parser of bodies alone, so `code` could end the function and go on behind
/// it. What can follow an arrow function, a comma or a parenthesis, cannot follow a method in a
/// class. So code that is valid in both ends neither.
pub(super) fn compile<'js>(ctx: &Ctx<'js>, prefix: &str, code: &str) -> Result<Function<'js>> {
    // `throw` comes first: nothing of the code is evaluated, even if it ends the function.
    let arrow = format!("throw 0;(function(){{({prefix}(args)=>{{\n{code}\n}})}})");
    if let Err(error) = evaluate::<Value<'_>>(ctx, arrow) {
        let thrown = ctx.catch();
        if thrown.as_int() != Some(0) {
            ctx.throw(thrown);
            return Err(error);
        }
    }
    let method = format!("(class{{static {prefix}main(args){{\n{code}\n}}}}).main");
    evaluate(ctx, method)
}

fn evaluate<'js, V: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, source: String) -> Result<V> {
    let mut options = EvalOptions::default();
    options.strict = true;
    options.filename = Some(FILE.to_owned());
    ctx.eval_with_options(source, options)
}

/// The engine's message for code that does not parse, as ours are written.
pub(super) fn syntax_message(text: &str) -> String {
    if text.starts_with("RangeError: ") {
        // The parser's own stack: nothing has run.
        return "the code is nested too deeply".to_owned();
    }
    let text = text.strip_prefix("SyntaxError: ").unwrap_or(text);
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// Advice for a line that does not parse because of modules or `await`.
pub(super) fn advice(code: &str, position: Option<(usize, usize)>) -> Option<&'static str> {
    let (line, _) = position?;
    let line = code.split('\n').nth(line.checked_sub(1)?)?;
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    words.find_map(|word| match word {
        "await" => Some("`await` is needless: nothing here is asynchronous"),
        "import" => Some("there are no modules: write what is needed in the code itself"),
        "export" => Some("there are no modules: `return` the result"),
        _ => None,
    })
}

/// The name of the code in a stack.
pub(super) const FILE: &str = "body";

/// Number of lines before the code.
const BEFORE: usize = 1;

/// The code as lines.
pub(super) struct Lines<'c>(&'c str);

impl<'c> Lines<'c> {
    pub(super) const fn of(code: &'c str) -> Self {
        Self(code)
    }

    /// The line and the column, both from 1, of the first frame of `stack` in the code:
    /// `    at f (body:3:7)`. The code can make such a text as well, so this is only shown.
    pub(super) fn position(&self, stack: &str) -> Option<(usize, usize)> {
        let mut frames = stack.lines().filter_map(frame);
        let (line, column) = frames.next()?;
        let line = line.checked_sub(BEFORE).filter(|line| *line > 0)?;
        let end = self.end();
        let text = self.0.split('\n').nth(line - 1);
        // What is missing at the end is missed behind the code.
        let Some(text) = text.filter(|_| line <= end.0) else {
            return Some(end);
        };
        Some((line, column.clamp(1, text.chars().count() + 1)))
    }

    /// The line and the column behind the code.
    pub(super) fn end(&self) -> (usize, usize) {
        let code = self.0.trim_end();
        let last = code.rsplit('\n').next().unwrap_or_default();
        (code.matches('\n').count() + 1, last.chars().count() + 1)
    }
}

/// The line and the column of a frame, as the engine counts them.
fn frame(text: &str) -> Option<(usize, usize)> {
    let (before, place) = text.rsplit_once(&format!("{FILE}:"))?;
    if !before.ends_with([' ', '(']) {
        return None;
    }
    let (line, column) = place.trim_end_matches(')').split_once(':')?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_frame_in_the_code_counts() {
        let code = "let a\nx y\n\n";
        for (stack, expected) in [
            ("    at body:3:4\n", Some((2, 4))),
            (
                "    at f (native)\n    at f (body:2:3)\n    at <eval> (body:9:9)\n",
                Some((1, 3)),
            ),
            (
                "    at fetch (prelude:120:36)\n    at m (body:3:1)\n",
                Some((2, 1)),
            ),
            ("    at body:4:1\n", Some((2, 4))),
            ("    at body:9:1\n", Some((2, 4))),
            ("    at body:2:99\n", Some((1, 6))),
            ("    at f (body:2:0)\n", Some((1, 1))),
            ("    at f (body:1:5)\n", None),
            ("    at f (nobody:2:1)\n", None),
            ("body:2:1", None),
            (" body:99999999999999999999:1", None),
            ("", None),
        ] {
            assert_eq!(Lines::of(code).position(stack), expected, "{stack:?}");
        }
    }
}
