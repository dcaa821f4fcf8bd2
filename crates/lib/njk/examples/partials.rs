//! Templates that include and extend others, which a loader gives them.

use std::collections::HashMap;

use njk::Engine;
use serde_json::json;

fn main() -> Result<(), njk::Error> {
    let files: HashMap<String, String> = [
        (
            "page.njk",
            "# {% block title %}Untitled{% endblock %}\n{% block body %}{% endblock %}",
        ),
        ("row.njk", "- {{ row }}\n"),
    ]
    .into_iter()
    .map(|(name, source)| (name.to_owned(), source.to_owned()))
    .collect();
    let engine = Engine::builder().loader(files).build();
    let template = engine.compile(
        "list.njk",
        "{% extends 'page.njk' %}{% block title %}A list{% endblock %}\
         {% block body %}{% for row in rows %}{% include './row.njk' %}{% endfor %}{% endblock %}",
    )?;
    print(&template.render(&json!({"rows": ["one", "two"]}))?);
    Ok(())
}

#[allow(clippy::print_stdout, reason = "an example shows something")]
fn print(text: &str) {
    print!("{text}");
}
