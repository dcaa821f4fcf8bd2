//! Compiles a template once and renders it twice.

use serde_json::json;

fn main() -> Result<(), njk::Error> {
    let template = njk::Engine::new().compile(
        "list",
        "{% for name in names %}{{ loop.index }}. {{ name | capitalize }}\n{% else %}nobody\n{% endfor %}",
    )?;
    for context in [json!({"names": ["ada", "grace"]}), json!({})] {
        print(&template.render(&context)?);
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "an example shows something")]
fn print(text: &str) {
    print!("{text}");
}
