//! JavaScript's values, represented by minijinja's. Undefined, null, booleans,
//! numbers and strings are minijinja's own; arrays, objects, functions, safe
//! strings, regular expressions and NaN are objects of this crate, because
//! JavaScript has identity, mutable arrays and different rules of truth.

pub(crate) mod compare;
pub(crate) mod number;
pub(crate) mod text;
pub(crate) mod utf16;

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use minijinja::value::{Enumerator, Object, ObjectRepr, Value, ValueKind};
use number::Nan;
use serde_json::Value as Json;

use crate::error::{Error, ErrorKind};
use crate::globals::Cycler;
use crate::native::Native;
use crate::regex::Regex;
use crate::runtime::Runtime;

/// A value by its JavaScript type.
pub(crate) enum View<'a> {
    Undefined,
    Null,
    Bool(bool),
    Number(f64),
    Text(&'a str),
    /// A string that autoescaping does not change: an object in Nunjucks.
    Safe(&'a str),
    Array(&'a Array),
    Dict(&'a Dict),
    Function(&'a Function),
    Regex(&'a Regex),
    /// An object with special behaviour, such as `loop`.
    Object,
}

/// The JavaScript type of `value`.
pub(crate) fn view(value: &Value) -> View<'_> {
    match value.kind() {
        ValueKind::Undefined => View::Undefined,
        ValueKind::None => View::Null,
        ValueKind::Bool => View::Bool(value.is_true()),
        ValueKind::Number => View::Number(number::read(value)),
        ValueKind::String => View::Text(value.as_str().unwrap_or_default()),
        _ => object(value),
    }
}

fn object(value: &Value) -> View<'_> {
    if let Some(dict) = value.downcast_object_ref::<Dict>() {
        View::Dict(dict)
    } else if let Some(array) = value.downcast_object_ref::<Array>() {
        View::Array(array)
    } else if let Some(safe) = value.downcast_object_ref::<Safe>() {
        View::Safe(safe.as_str())
    } else if let Some(function) = value.downcast_object_ref::<Function>() {
        View::Function(function)
    } else if let Some(regex) = value.downcast_object_ref::<Regex>() {
        View::Regex(regex)
    } else if value.downcast_object_ref::<Nan>().is_some() {
        View::Number(f64::NAN)
    } else {
        View::Object
    }
}

/// Neither undefined nor null.
pub(crate) fn is_present(value: &Value) -> bool {
    !value.is_undefined() && !value.is_none()
}

/// The members of an object of any kind; nothing for a value that is not an object.
pub(crate) fn entries(value: &Value) -> Vec<(Arc<str>, Value)> {
    match view(value) {
        View::Dict(dict) => {
            let entries = dict.entries().iter();
            entries
                .map(|(key, value)| (Arc::clone(key), value.clone()))
                .collect()
        }
        View::Object => {
            let pairs = value
                .as_object()
                .and_then(minijinja::value::DynObject::try_iter_pairs);
            pairs
                .into_iter()
                .flatten()
                .filter_map(|(key, value)| Some((key.to_str()?, value)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The characters of a string, safe or not.
pub(crate) fn as_text(value: &Value) -> Option<&str> {
    match view(value) {
        View::Text(text) | View::Safe(text) => Some(text),
        _ => None,
    }
}

/// JavaScript's name of the type, for messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match view(value) {
        View::Undefined => "undefined",
        View::Null => "null",
        View::Bool(_) => "a boolean",
        View::Number(_) => "a number",
        View::Text(_) | View::Safe(_) => "a string",
        View::Array(_) => "an array",
        View::Function(_) => "a function",
        View::Regex(_) => "a regular expression",
        View::Dict(_) | View::Object => "an object",
    }
}

/// The number of levels of arrays and objects in a value.
pub(crate) fn depth(value: &Value) -> u32 {
    match view(value) {
        View::Array(array) => array.depth(),
        View::Dict(dict) => dict.depth(),
        View::Function(function) => function.depth(),
        View::Object => value
            .downcast_object_ref::<Cycler>()
            .map_or(0, Cycler::depth),
        _ => 0,
    }
}

#[derive(Debug)]
pub(crate) struct Array {
    items: Mutex<Arc<Vec<Value>>>,
    depth: AtomicU32,
}

impl Array {
    /// An array of `items`; limits are checked by [`crate::budget::Budget`].
    pub(crate) fn new(items: Vec<Value>) -> Self {
        let depth = items.iter().map(depth).max().unwrap_or_default();
        Self {
            items: Mutex::new(Arc::new(items)),
            depth: AtomicU32::new(depth.saturating_add(1)),
        }
    }

    /// The current items. No lock is held afterwards: an array may contain itself.
    pub(crate) fn items(&self) -> Arc<Vec<Value>> {
        Arc::clone(&self.items.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn len(&self) -> usize {
        self.items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .len()
    }

    pub(crate) fn get(&self, index: usize) -> Option<Value> {
        self.items
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(index)
            .cloned()
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }

    /// Changes the items in place. `change` must not access this array.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut Vec<Value>) -> T) -> T {
        let mut items = self.items.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut items))
    }

    /// Records that a value with `inner` levels was added.
    pub(crate) fn deepen(&self, inner: u32) {
        self.depth
            .fetch_max(inner.saturating_add(1), Ordering::Relaxed);
    }
}

impl Object for Array {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_usize()?)
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.len())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

pub(crate) type Entries = IndexMap<Arc<str>, Value>;

#[derive(Debug)]
pub(crate) struct Dict {
    entries: Entries,
    depth: u32,
    keywords: bool,
}

impl Dict {
    pub(crate) fn new(mut entries: Entries) -> Self {
        if entries.keys().any(|key| index(key).is_some()) {
            entries.sort_by(|left, _, right, _| match (index(left), index(right)) {
                (Some(left), Some(right)) => left.cmp(&right),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (None, None) => std::cmp::Ordering::Equal,
            });
        }
        let depth = entries.values().map(depth).max().unwrap_or_default();
        Self {
            entries,
            depth: depth.saturating_add(1),
            keywords: false,
        }
    }

    /// The keyword arguments of a call.
    pub(crate) fn keywords(entries: Entries) -> Self {
        Self {
            keywords: true,
            ..Self::new(entries)
        }
    }

    pub(crate) fn is_keywords(&self) -> bool {
        self.keywords
    }

    pub(crate) fn entries(&self) -> &Entries {
        &self.entries
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }
}

/// The number that `key` spells, if JavaScript counts it as an index.
pub(crate) fn index(key: &str) -> Option<u32> {
    let plain =
        key == "0" || !key.starts_with('0') && key.bytes().all(|byte| byte.is_ascii_digit());
    let number = if plain { key.parse().ok() } else { None };
    number.filter(|number| *number != u32::MAX)
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get(key.as_str()?).cloned()
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        self.get(key).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.entries.keys().map(|key| Value::from(&**key)).collect())
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

type Body = dyn Fn(&Runtime, &[Value]) -> Result<Value, Error> + Send + Sync;

pub(crate) struct Function {
    body: Box<Body>,
    /// The nesting of the value to which a method is bound; 0 for other
    /// functions.
    depth: u32,
}

impl Function {
    pub(crate) fn value(
        body: impl Fn(&Runtime, &[Value]) -> Result<Value, Error> + Send + Sync + 'static,
    ) -> Value {
        Value::from_object(Self {
            body: Box::new(body),
            depth: 0,
        })
    }

    /// A method, bound to its value.
    pub(crate) fn method(this: &Value, method: Native) -> Result<Value, Error> {
        let depth = depth(this).saturating_add(1);
        let this = this.clone();
        let method = Value::from_object(Self {
            body: Box::new(move |runtime, arguments| method(runtime, &this, arguments)),
            depth,
        });
        Runtime::check_depth(&method)?;
        Ok(method)
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
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

impl Object for Function {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}

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

/// The maximum nesting of a context; `serde_json` itself reads 128 levels.
const MAX_DEPTH: u32 = 200;

/// `json` as a value.
pub(crate) fn from_json(json: &Json) -> Result<Value, Error> {
    convert(json, 0)
}

fn convert(json: &Json, depth: u32) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::new(
            ErrorKind::TooDeep,
            "the context is nested too deeply",
        ));
    }
    Ok(match json {
        Json::Null => Value::from(()),
        Json::Bool(value) => Value::from(*value),
        Json::Number(value) => {
            exact(value).unwrap_or_else(|| number::make(value.as_f64().unwrap_or(f64::NAN)))
        }
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => {
            let items = items.iter().map(|item| convert(item, depth + 1));
            Value::from_object(Array::new(items.collect::<Result<_, _>>()?))
        }
        Json::Object(entries) => {
            let mut values = Entries::with_capacity(entries.len());
            for (key, value) in entries {
                values.insert(Arc::from(key.as_str()), convert(value, depth + 1)?);
            }
            Value::from_object(Dict::new(values))
        }
    })
}

/// An integer that no `f64` may hold, which prints as it is and is rounded by arithmetic.
fn exact(number: &serde_json::Number) -> Option<Value> {
    let is_large = |size: u64| size > 1 << 53;
    match (number.as_i64(), number.as_u64()) {
        (Some(signed), _) if is_large(signed.unsigned_abs()) => Some(Value::from(signed)),
        (None, Some(unsigned)) => Some(Value::from(unsigned)),
        _ => None,
    }
}
