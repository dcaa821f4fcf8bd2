//! Strings that autoescaping does not change. In Nunjucks they are objects, so
//! an empty one is truthy and two of them are never identical.

use std::sync::Arc;

use minijinja::value::{Object, ObjectRepr, Value};

#[derive(Debug)]
pub(crate) struct Safe(Arc<str>);

impl Safe {
    pub(crate) fn value(text: impl Into<Arc<str>>) -> Value {
        Value::from_object(Self(text.into()))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl Object for Safe {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

/// `text` as a safe string if `like` is one, as a plain string if not.
pub(crate) fn copy_safeness(like: &Value, text: String) -> Value {
    if like.downcast_object_ref::<Safe>().is_some() {
        Safe::value(text)
    } else {
        Value::from(text)
    }
}

/// `text` with the special characters of HTML escaped.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' => escaped.push_str("&#92;"),
            _ => escaped.push(c),
        }
    }
    escaped
}
