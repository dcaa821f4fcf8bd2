//! An untrusted template is stopped, with an error that explains why.

use njk::{Engine, Limits};
use serde_json::json;

fn main() -> Result<(), njk::Error> {
    let limits = Limits {
        fuel: 10_000,
        ..Limits::default()
    };
    let engine = Engine::builder().limits(limits).build();
    let template = engine.compile(
        "endless",
        "{% set list = [1] %}{% for i in list %}{% set _ = list.push(i) %}{% endfor %}",
    )?;
    if let Err(error) = template.render(&json!({})) {
        print(&format!(
            "{error}\nhint: {}\n",
            error.hint().unwrap_or_default()
        ));
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "an example shows something")]
fn print(text: &str) {
    print!("{text}");
}
