//! The code as the body of a function, and its result as text.

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Result, Value};

use super::position::FILE;

/// Compiles `code` as the body of a strict function with the parameter `args`.
///
/// The engine has no parser of bodies alone, so `code` could end the function and go on behind
/// it. What can follow an arrow function, a comma or a parenthesis, cannot follow a method in a
/// class. So code that is valid in both ends neither.
pub(super) fn compile<'js>(ctx: &Ctx<'js>, code: &str) -> Result<Function<'js>> {
    // `throw` comes first: nothing of the code is evaluated, even if it ends the function.
    let arrow = format!("throw 0;(function(){{(args=>{{\n{code}\n}})}})");
    if let Err(error) = evaluate::<Value<'_>>(ctx, arrow) {
        let thrown = ctx.catch();
        if thrown.as_int() != Some(0) {
            ctx.throw(thrown);
            return Err(error);
        }
    }
    let method = format!("(class{{static main(args){{\n{code}\n}}}}).main");
    evaluate(ctx, method)
}

fn evaluate<'js, V: rquickjs::FromJs<'js>>(ctx: &Ctx<'js>, source: String) -> Result<V> {
    let mut options = EvalOptions::default();
    options.strict = true;
    options.filename = Some(FILE.to_owned());
    ctx.eval_with_options(source, options)
}

/// `json` with U+FFFD for each escape of half of a surrogate pair: the engine writes no other
/// escapes of that range.
pub(super) fn well_formed(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut text = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let is_half = escape
            .strip_prefix("\\ud")
            .is_some_and(|rest| rest.starts_with(['8', '9', 'a', 'b', 'c', 'd', 'e', 'f']));
        // An escape has two characters, or six that begin with `\u`.
        let end = if is_half { 6 } else { 2 }.min(escape.len());
        text.push_str(if is_half { "\u{FFFD}" } else { &escape[..end] });
        rest = &escape[end..];
    }
    text + rest
}

/// The engine's message for code that does not parse, as ours are written.
pub(super) fn syntax_message(text: &str) -> String {
    let text = text.strip_prefix("SyntaxError: ").unwrap_or(text);
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::well_formed;

    #[test]
    fn halves_of_surrogate_pairs_are_replaced() {
        for (json, expected) in [
            (r#""a""#, r#""a""#),
            (r#""\ud800""#, "\"\u{FFFD}\""),
            (r#""\udfff\ud7ffx\n""#, "\"\u{FFFD}\\ud7ffx\\n\""),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, "\"\\\\\u{FFFD}\""),
            (r#"{"\udc00":"é"}"#, "{\"\u{FFFD}\":\"é\"}"),
        ] {
            assert_eq!(well_formed(json.to_owned()), expected, "{json}");
        }
    }
}
