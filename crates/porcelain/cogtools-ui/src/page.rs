//! The pages: templates of our own engine, which escapes everything that they print, and the files
//! that they load.
//!
//! Whatever a page is about was written by others. Every text passes through [`visible`] before
//! a template gets it, and only one macro takes the HTML that `markdown` makes of texts.

use std::collections::BTreeMap;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use cogtools_program::terminal::sanitize_lines;
use njk::{Engine, Template};
use serde_json::{Map, Value};

use crate::respond::{Answer, App, PageError};

/// The templates, by name.
const TEMPLATES: [(&str, &str); 12] = [
    ("layout.njk", include_str!("../templates/layout.njk")),
    ("parts.njk", include_str!("../templates/parts.njk")),
    ("error.njk", include_str!("../templates/error.njk")),
    ("sessions.njk", include_str!("../templates/sessions.njk")),
    ("session.njk", include_str!("../templates/session.njk")),
    ("message.njk", include_str!("../templates/message.njk")),
    ("timeline.njk", include_str!("../templates/timeline.njk")),
    ("tools.njk", include_str!("../templates/tools.njk")),
    ("tool.njk", include_str!("../templates/tool.njk")),
    ("evals.njk", include_str!("../templates/evals.njk")),
    ("eval_case.njk", include_str!("../templates/eval_case.njk")),
    ("broken.njk", include_str!("../templates/broken.njk")),
];

/// The compiled templates.
pub(crate) struct Pages(BTreeMap<&'static str, Template>);

impl Pages {
    /// Compiles the templates.
    pub(crate) fn new() -> Result<Self, njk::Error> {
        let sources = TEMPLATES.map(|(name, source)| (name.to_owned(), source.to_owned()));
        let engine = Engine::builder()
            .autoescape(true)
            .loader(BTreeMap::from(sources))
            .build();
        let compiled = TEMPLATES
            .iter()
            .map(|(name, source)| Ok((*name, engine.compile(name, source)?)));
        Ok(Self(compiled.collect::<Result<_, njk::Error>>()?))
    }

    /// The page of the template `name` with these variables, which are an object.
    pub(crate) fn render(
        &self,
        name: &str,
        context: Value,
        app: &App,
    ) -> Result<String, PageError> {
        let mut context = visible(context);
        context["token"] = app.access.page_token().into();
        context["base"] = app.access.base().into();
        context["project"] = visible(app.project.name().into());
        context["waiting"] = app.overview().map_or(0, |all| all.waiting).into();
        self.template(name)?
            .render(&context)
            .map_err(|_| PageError::Bug)
    }

    /// Renders the page for a browser without access: nothing of the server is in it.
    pub(crate) fn render_for_strangers(
        &self,
        name: &str,
        context: Value,
    ) -> Result<String, PageError> {
        self.template(name)?
            .render(&visible(context))
            .map_err(|_| PageError::Bug)
    }

    fn template(&self, name: &str) -> Result<&Template, PageError> {
        self.0.get(name).ok_or(PageError::Bug)
    }

    /// Renders the page as an answer.
    pub(crate) fn answer(
        &self,
        name: &str,
        context: Value,
        app: &App,
    ) -> Result<Answer, PageError> {
        let text = self.render(name, context, app)?;
        Ok(Answer::Html(StatusCode::OK, text))
    }
}

/// A value without characters that a person cannot see, or that change the order of others.
pub(crate) fn visible(value: Value) -> Value {
    match value {
        Value::String(text) => sanitize_lines(&text).into_owned().into(),
        Value::Array(items) => items.into_iter().map(visible).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let name = sanitize_lines(&name).into_owned();
                (name, visible(value))
            };
            Value::Object(fields.into_iter().map(field).collect::<Map<_, _>>())
        }
        other => other,
    }
}

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files, with their types.
const ASSETS: [(&str, &str, &str); 15] = [
    ("style.css", STYLE, include_str!("../assets/style.css")),
    ("form.css", STYLE, include_str!("../assets/form.css")),
    ("live.js", SCRIPT, include_str!("../assets/live.js")),
    ("tool.js", SCRIPT, include_str!("../assets/tool.js")),
    (
        "structure.js",
        SCRIPT,
        include_str!("../assets/structure.js"),
    ),
    ("fields.js", SCRIPT, include_str!("../assets/fields.js")),
    ("answer.js", SCRIPT, include_str!("../assets/answer.js")),
    ("merge.js", SCRIPT, include_str!("../assets/merge.js")),
    ("compose.js", SCRIPT, include_str!("../assets/compose.js")),
    ("copy.js", SCRIPT, include_str!("../assets/copy.js")),
    ("keys.js", SCRIPT, include_str!("../assets/keys.js")),
    ("list.js", SCRIPT, include_str!("../assets/list.js")),
    ("session.js", SCRIPT, include_str!("../assets/session.js")),
    ("resizer.js", SCRIPT, include_str!("../assets/resizer.js")),
    ("page.js", SCRIPT, include_str!("../assets/page.js")),
];

/// A file, by name.
pub(crate) async fn asset(Path(name): Path<String>) -> Response {
    let found = ASSETS.iter().find(|(known, _, _)| *known == name);
    let Some((_, kind, text)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let mut response = text.into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    // Another version of the program may have another file at the same port.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

#[cfg(test)]
mod page_tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_template_compiles_and_trusts_nothing() {
        Pages::new().map(drop).expect("templates");
        for (name, source) in TEMPLATES {
            // The macro for HTML that only `markdown` makes.
            let macro_text = "{% macro rich(html) %}{{ html | safe }}{% endmacro %}";
            let source = source.replace(macro_text, "");
            for word in ["safe", "autoescape", "javascript:", "style=", " onclick"] {
                assert!(!source.contains(word), "{name}: {word}");
            }
        }
    }

    #[test]
    fn no_text_is_invisible() {
        let value = json!({"a\u{202e}": ["\u{1b}[31m", {"b": "x\ny"}], "n": 1});
        let expected = json!({"a\\u{202e}": ["\\u{1b}[31m", {"b": "x\ny"}], "n": 1});
        assert_eq!(visible(value), expected);
    }
}

#[cfg(test)]
mod asset_tests {
    use super::*;

    #[test]
    fn scripts_are_short_and_load_nothing_from_elsewhere() {
        for (name, kind, text) in ASSETS {
            assert!(kind == STYLE || text.lines().count() <= 200, "{name}");
            for word in [
                "http:",
                "https:",
                "innerHTML",
                "insertAdjacentHTML",
                "eval(",
                "document.write",
            ] {
                assert!(!text.contains(word), "{name}: {word}");
            }
        }
    }
}
