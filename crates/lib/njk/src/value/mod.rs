//! JavaScript's values: strings and numbers by value, arrays, objects and functions by
//! identity. Arrays are mutable; everything stays on the thread of one rendering.

pub(crate) mod compare;
pub(crate) mod number;
pub(crate) mod text;
pub(crate) mod utf16;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

use indexmap::IndexMap;
use number::Number;
use serde_json::Value as Json;

use crate::error::{Error, ErrorKind};
use crate::native::Native;
use crate::regex::Regex;
use crate::runtime::Runtime;

/// A value by its JavaScript type.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    #[default]
    Undefined,
    Null,
    Bool(bool),
    Number(Number),
    Text(Rc<str>),
    /// A string that autoescaping does not change: an object in Nunjucks.
    Safe(Rc<str>),
    Array(Rc<Array>),
    Dict(Rc<Dict>),
    Function(Rc<Function>),
    Regex(Rc<Regex>),
    Special(Rc<dyn Special>),
}

/// An object with members of its own, such as `loop`.
pub(crate) trait Special: fmt::Debug {
    /// The value of a member.
    fn member(self: Rc<Self>, name: &str) -> Option<Value>;

    /// The names of the members, in order.
    fn names(&self) -> &'static [&'static str];

    /// The number of levels of arrays and objects in it.
    fn depth(&self) -> u32 {
        0
    }
}

impl Value {
    pub(crate) fn safe(text: impl Into<Rc<str>>) -> Self {
        Self::Safe(text.into())
    }

    pub(crate) fn function(
        body: impl Fn(&Runtime, &[Self]) -> Result<Self, Error> + 'static,
    ) -> Self {
        Self::Function(Rc::new(Function {
            body: Box::new(body),
            depth: 0,
        }))
    }

    pub(crate) fn is_undefined(&self) -> bool {
        matches!(self, Self::Undefined)
    }

    /// Neither undefined nor null.
    pub(crate) fn is_present(&self) -> bool {
        !matches!(self, Self::Undefined | Self::Null)
    }

    /// Returns true if a condition with the value holds.
    pub(crate) fn is_true(&self) -> bool {
        match self {
            Self::Undefined | Self::Null => false,
            Self::Bool(value) => *value,
            Self::Number(number) => number.value != 0.0 && !number.value.is_nan(),
            Self::Text(text) => !text.is_empty(),
            _ => true,
        }
    }

    /// The string, unless it is a safe one.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The characters of a string, safe or not.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Safe(text) => Some(text),
            _ => None,
        }
    }

    /// The members of an object of any kind; nothing for a value that is not an object.
    pub(crate) fn entries(&self) -> Vec<(Rc<str>, Self)> {
        match self {
            Self::Dict(dict) => {
                let entries = dict.entries.iter();
                entries
                    .map(|(key, value)| (Rc::clone(key), value.clone()))
                    .collect()
            }
            Self::Special(object) => {
                let names = object.names().iter();
                let pair = |name: &&str| Some((Rc::from(*name), Rc::clone(object).member(name)?));
                names.filter_map(pair).collect()
            }
            _ => Vec::new(),
        }
    }

    /// JavaScript's name of the type, for messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Undefined => "undefined",
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) | Self::Safe(_) => "a string",
            Self::Array(_) => "an array",
            Self::Function(_) => "a function",
            Self::Regex(_) => "a regular expression",
            Self::Dict(_) | Self::Special(_) => "an object",
        }
    }

    /// The number of levels of arrays and objects in the value.
    pub(crate) fn depth(&self) -> u32 {
        match self {
            Self::Array(array) => array.depth.get(),
            Self::Dict(dict) => dict.depth,
            Self::Function(function) => function.depth,
            Self::Special(object) => object.depth(),
            _ => 0,
        }
    }

    /// `text` as a safe string if this value is one, as a plain string if not.
    pub(crate) fn like(&self, text: String) -> Self {
        match self {
            Self::Safe(_) => Self::safe(text),
            _ => Self::from(text),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value.into())
    }
}

/// A length or a position.
impl From<usize> for Value {
    fn from(count: usize) -> Self {
        Self::from(number::of(count))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        Self::Text(text.into())
    }
}

#[derive(Debug)]
pub(crate) struct Array {
    items: RefCell<Rc<Vec<Value>>>,
    depth: Cell<u32>,
}

impl Array {
    /// An array of `items`; limits are checked by [`Runtime`].
    pub(crate) fn new(items: Vec<Value>) -> Self {
        let depth = items.iter().map(Value::depth).max().unwrap_or_default();
        Self {
            items: RefCell::new(Rc::new(items)),
            depth: Cell::new(depth.saturating_add(1)),
        }
    }

    /// The current items. Nothing is borrowed afterwards: an array may contain itself.
    pub(crate) fn items(&self) -> Rc<Vec<Value>> {
        Rc::clone(&self.items.borrow())
    }

    pub(crate) fn len(&self) -> usize {
        self.items.borrow().len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Value> {
        self.items.borrow().get(index).cloned()
    }

    /// Changes the items in place. `change` must not access this array.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        change(Rc::make_mut(&mut self.items.borrow_mut()))
    }

    /// Records that a value with `inner` levels was added.
    pub(crate) fn deepen(&self, inner: u32) {
        self.depth
            .set(self.depth.get().max(inner.saturating_add(1)));
    }
}

pub(crate) type Entries = IndexMap<Rc<str>, Value>;

#[derive(Debug)]
pub(crate) struct Dict {
    pub(crate) entries: Entries,
    depth: u32,
    /// True for the keyword arguments of a call.
    pub(crate) is_keywords: bool,
}

impl Dict {
    pub(crate) fn new(mut entries: Entries, is_keywords: bool) -> Self {
        if entries.keys().any(|key| index(key).is_some()) {
            entries.sort_by(|left, _, right, _| match (index(left), index(right)) {
                (Some(left), Some(right)) => left.cmp(&right),
                (left, right) => right.is_some().cmp(&left.is_some()),
            });
        }
        let depth = entries.values().map(Value::depth).max().unwrap_or_default();
        Self {
            entries,
            depth: depth.saturating_add(1),
            is_keywords,
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }
}

/// The number that `key` spells, if JavaScript counts it as an index.
pub(crate) fn index(key: &str) -> Option<u32> {
    let plain =
        key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { key.parse().ok() } else { None };
    number.filter(|number| *number != u32::MAX)
}

type Body = dyn Fn(&Runtime, &[Value]) -> Result<Value, Error>;

pub(crate) struct Function {
    body: Box<Body>,
    /// The nesting of the value to which a method is bound; 0 for other
    /// functions.
    depth: u32,
}

impl Function {
    /// A method, bound to its value.
    pub(crate) fn method(this: &Value, method: Native) -> Result<Value, Error> {
        let depth = this.depth().saturating_add(1);
        let this = this.clone();
        let body: Box<Body> = Box::new(move |runtime, arguments| method(runtime, &this, arguments));
        let method = Value::Function(Rc::new(Self { body, depth }));
        Runtime::check_depth(&method)?;
        Ok(method)
    }

    pub(crate) fn call(&self, runtime: &Runtime, arguments: &[Value]) -> Result<Value, Error> {
        if self.depth == 0 {
            return (self.body)(runtime, arguments);
        }
        // A method can be passed to itself; macros are counted when they run.
        runtime.nested(|| (self.body)(runtime, arguments))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
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

/// The maximum nesting of a context; `serde_json` itself reads 128 levels.
const MAX_DEPTH: u32 = 200;

/// `json`, which is `depth` levels deep in a context, as a value.
pub(crate) fn from_json(json: &Json, depth: u32) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        let message = "the context is nested too deeply";
        return Err(Error::new(ErrorKind::TooDeep, message));
    }
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(value) => Value::Number(value.into()),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(|item| from_json(item, depth + 1));
            Value::Array(Rc::new(Array::new(items.collect::<Result<_, _>>()?)))
        }
        Json::Object(entries) => {
            let mut values = Entries::with_capacity(entries.len());
            for (key, value) in entries {
                values.insert(Rc::from(key.as_str()), from_json(value, depth + 1)?);
            }
            Value::Dict(Rc::new(Dict::new(values, false)))
        }
    })
}
