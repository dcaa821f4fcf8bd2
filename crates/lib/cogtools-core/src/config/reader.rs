//! Reads a layer's document into the options and reports every mistake at its place.
//!
//! A derived `Deserialize` stops at the first mistake. The reader reports it, leaves out the value
//! with the mistake, and begins anew until there is nothing more to report. Its deserializer knows
//! some types by name, because their values depend on the layer.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::slice::Iter;

use serde::de::value::{MapDeserializer, StrDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::layer::{Base, Layer};
use super::schema;
use super::{Extent, Found, Mistake, split};
use crate::environment::may_have_secret;
use crate::sandbox::Sandbox;
use crate::suggest::did_you_mean;
use crate::text::Span;
use crate::yaml::{Data, Entry, Node};
use crate::{Code, Diagnostic, quoted_or};

/// The most mistakes: each costs another pass.
const MAX_MISTAKES: usize = 64;

/// A document that is being read, and the mistakes in it.
pub(super) struct Reading<'l> {
    layer: &'l Layer,
    base: &'l Base<'l>,
    mistakes: RefCell<Vec<Found>>,
    /// The values that are left out.
    skipped: RefCell<Vec<*const Node>>,
    /// The sandboxes of sources.
    sandboxes: RefCell<Vec<Sandbox>>,
    /// The keys of the document, in the order of their struct.
    pub(super) keys: Cell<&'static [&'static str]>,
}

/// A value of the document.
#[derive(Clone, Copy)]
struct Value<'r> {
    reading: &'r Reading<'r>,
    node: &'r Node,
    /// The key that leads to it.
    key: (&'r str, Span),
    /// True if it is an item of a list.
    is_item: bool,
}

/// The entries of a map.
struct Entries<'r> {
    value: Value<'r>,
    rest: Iter<'r, Entry>,
    /// The name and the keys of the struct, if it is one.
    fields: Option<(&'static str, &'static [&'static str])>,
    current: Option<&'r Entry>,
}

struct Items<'r>(Value<'r>, Iter<'r, Node>);

/// A variant, with its value if it is a map's.
struct Variant<'r>(Value<'r>, &'r str, Option<&'r Entry>);

impl<'l> Reading<'l> {
    pub(super) const fn new(layer: &'l Layer, base: &'l Base<'l>) -> Self {
        Self {
            layer,
            base,
            mistakes: RefCell::new(Vec::new()),
            skipped: RefCell::new(Vec::new()),
            sandboxes: RefCell::new(Vec::new()),
            keys: Cell::new(&[]),
        }
    }

    /// Reads the whole document, without the values that have mistakes.
    pub(super) fn read<T: DeserializeOwned + Default>(&self) -> T {
        let root = Value {
            reading: self,
            node: &self.layer.document,
            key: ("", self.layer.document.span),
            is_item: false,
        };
        loop {
            self.sandboxes.borrow_mut().clear();
            let before = self.skipped.borrow().len();
            if let Ok(value) = root.read(std::marker::PhantomData::<T>) {
                return value;
            }
            let after = self.skipped.borrow().len();
            if after == before || after > MAX_MISTAKES || self.is_skipped(root.node) {
                return T::default();
            }
        }
    }

    pub(super) fn report(&self, message: String, hint: impl Into<String>, span: Span) {
        self.report_as(Extent::Entry, message, hint, span);
    }

    pub(super) fn report_as(
        &self,
        extent: Extent,
        message: String,
        hint: impl Into<String>,
        span: Span,
    ) {
        let mut location = self.layer.text.location(span);
        location.text = location.text.filter(|line| !may_have_secret(line));
        let diagnostic = Diagnostic::new(Code::InvalidConfig, message);
        let diagnostic = diagnostic.at(location).hint(hint.into());
        let found = Found(extent, span, diagnostic);
        self.mistakes.borrow_mut().push(found);
    }

    /// Returns true if a mistake in `entry`, which is one of an MCP server, costs it.
    pub(super) fn is_lost(&self, entry: &Entry) -> bool {
        let mistakes = self.mistakes.borrow();
        let mut inside = mistakes.iter().filter(|it| entry.contains(it.1));
        inside.any(|it| it.0 != Extent::Key)
    }

    /// Leaves out a value with a mistake.
    fn skip(&self, node: &Node) {
        self.skipped.borrow_mut().push(std::ptr::from_ref(node));
    }

    /// Returns true if the value is left out, because it has a mistake.
    pub(super) fn is_skipped(&self, node: &Node) -> bool {
        self.skipped.borrow().contains(&std::ptr::from_ref(node))
    }

    /// Returns true if there is a mistake directly below `node`.
    fn has_skipped(&self, node: &Node) -> bool {
        match &node.data {
            Data::Map(entries) => entries.iter().any(|entry| self.is_skipped(&entry.value)),
            Data::List(items) => items.iter().any(|item| self.is_skipped(item)),
            _ => false,
        }
    }

    pub(super) fn sandbox(&self, index: usize) -> Option<Sandbox> {
        self.sandboxes.borrow().get(index).cloned()
    }

    /// The mistakes of the layer, and the mistakes of MCP servers, in the order of the document.
    pub(super) fn into_mistakes(self) -> [Vec<Diagnostic>; 2] {
        // Beyond the most, nothing is read.
        let is_read = self.skipped.into_inner().len() <= MAX_MISTAKES;
        split(self.mistakes.into_inner(), is_read, self.layer)
    }

    /// An example of the value `node`.
    pub(super) fn example(&self, node: &Node) -> String {
        schema::example(&self.layer.document, node).map_or_else(
            || "write it as cogtoolrc(5) shows".to_owned(),
            |example| format!("write {example}"),
        )
    }
}

impl<'r> Value<'r> {
    /// Reads the value, and reports a mistake in it.
    fn read<'de, S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Mistake> {
        seed.deserialize(self).map_err(|mistake| {
            self.report(&mistake);
            Mistake::Reported
        })
    }

    fn report(self, mistake: &Mistake) {
        let reading = self.reading;
        if matches!(mistake, Mistake::Reported) {
            return;
        }
        // A mistake inside explains this one.
        if !reading.has_skipped(self.node) {
            let (key, span) = self.key;
            let (message, hint, span) = match mistake {
                Mistake::Expected(expected) => {
                    let found = self.found();
                    let message = format!("`{key}` takes {expected}, not {found}");
                    (message, None, self.node.span)
                }
                Mistake::Missing(field) => (format!("`{key}` needs `{field}`"), None, span),
                Mistake::Other(message, hint) => (message.clone(), hint.clone(), self.node.span),
                Mistake::Reported => return,
            };
            let hint = hint.unwrap_or_else(|| reading.example(self.node));
            reading.report(message, hint, span);
        }
        reading.skip(self.node);
    }

    fn is_root(self) -> bool {
        std::ptr::eq(self.node, &raw const self.reading.layer.document)
    }

    /// The value for a message.
    fn found(self) -> String {
        match self.node.text() {
            Some(text) if text.trim().is_empty() && self.key.0 == "local" => "an empty path".into(),
            // Without its quotes, it would be what is expected.
            Some(text) if matches!(text, "true" | "false") || text.parse::<f64>().is_ok() => {
                format!("the text `{text}`")
            }
            Some(text) if text.len() <= 40 && self.key.0 != "local" => format!("`{text}`"),
            _ if matches!(self.node.data, Data::Number(_)) => format!("`{}`", self.node.to_json()),
            _ => self.node.kind().to_owned(),
        }
    }

    fn expected<T>(expected: &str) -> Result<T, Mistake> {
        Err(Mistake::Expected(expected.to_owned()))
    }

    fn entry(self, entry: &'r Entry) -> Self {
        Self {
            node: &entry.value,
            key: (&entry.key, entry.span),
            is_item: false,
            ..self
        }
    }

    /// The text of a path that the layer can resolve.
    fn path(self, expected: &str) -> Result<&'r str, Mistake> {
        let text = self.node.text().filter(|text| !text.trim().is_empty());
        let text = text.ok_or_else(|| Mistake::Expected(expected.to_owned()))?;
        let resolved = self.reading.layer.place.resolve(text, self.reading.base);
        match resolved {
            Ok(_) => Ok(text),
            Err(error) => Err(Mistake::Other(error.to_string(), Some(error.hint()))),
        }
    }

    /// Reads a sandbox, which reports its own mistakes, and returns its place.
    fn sandbox(self) -> Result<String, Mistake> {
        let mut is_valid = true;
        let sandbox = Sandbox::read(self.node, |error, span| {
            self.reading.report(error.to_string(), error.hint(), span);
            is_valid = false;
        });
        if !is_valid {
            self.reading.skip(self.node);
            return Err(Mistake::Reported);
        }
        let mut sandboxes = self.reading.sandboxes.borrow_mut();
        sandboxes.push(sandbox);
        Ok((sandboxes.len() - 1).to_string())
    }

    fn entries(
        self,
        fields: Option<(&'static str, &'static [&'static str])>,
    ) -> Result<Entries<'r>, Mistake> {
        let rest = match &self.node.data {
            Data::Map(entries) => entries.iter(),
            Data::Null => [].iter(),
            _ if self.is_root() => {
                let kind = self.node.kind();
                let message = format!("the configuration must be a map of keys, not {kind}");
                let hint = "write `tool_sources: [{local: ./tools}]`".to_owned();
                return Err(Mistake::Other(message, Some(hint)));
            }
            _ => return Self::expected("a map"),
        };
        Ok(Entries {
            value: self,
            rest,
            fields,
            current: None,
        })
    }

    fn integer(self) -> Result<serde_json::Number, Mistake> {
        match &self.node.data {
            Data::Number(number) if number.is_i64() || number.is_u64() => Ok(number.clone()),
            _ => Self::expected("a whole number"),
        }
    }
}

/// Deserializes a whole number, which has to fit.
macro_rules! whole_numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
            let number = self.integer()?;
            let read = match number.as_u64() {
                Some(number) => visitor.visit_u64(number),
                None => visitor.visit_i64(number.as_i64().unwrap_or_default()),
            };
            read.map_err(|_: Mistake| Mistake::Expected("a whole number".to_owned()))
        })*
    };
}

impl IntoDeserializer<'_, Mistake> for Value<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Value<'_> {
    type Error = Mistake;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.node.data {
            Data::Null => visitor.visit_unit(),
            Data::Bool(value) => visitor.visit_bool(*value),
            Data::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => visitor.visit_u64(number),
                (None, Some(number)) => visitor.visit_i64(number),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Data::Text { text, .. } => visitor.visit_str(text),
            Data::List(items) => visitor.visit_seq(Items(self, items.iter())),
            Data::Map(_) => visitor.visit_map(self.entries(None)?),
        }
    }

    whole_numbers!(deserialize_i32 deserialize_u32 deserialize_i64 deserialize_u64);

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.node.data {
            Data::Bool(value) => visitor.visit_bool(value),
            _ => Self::expected("`true` or `false`"),
        }
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.node.data {
            Data::Number(number) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            _ => Self::expected("a number"),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match self.node.text() {
            Some(text) => visitor.visit_str(text),
            None if self.is_item => Self::expected("a list of strings"),
            None => Self::expected("a text"),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        match &self.node.data {
            Data::List(items) => visitor.visit_seq(Items(self, items.iter())),
            _ => Self::expected("a list of strings"),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let text = match name {
            "ConfigFile" => self.path("the path of a file")?.to_owned(),
            "Folder" => self.path("the path of a folder")?.to_owned(),
            "Sandbox" => self.sandbox()?,
            "Sources" if self.node.items().is_none() => return Self::expected("a list of sources"),
            _ => return visitor.visit_newtype_struct(self),
        };
        visitor.visit_newtype_struct(StrDeserializer::new(&text))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        if self.is_root() {
            self.reading.keys.set(fields);
        }
        // A text is the place of a specification.
        if let Some(place) = self.node.text().filter(|_| name == "SpecificationOptions") {
            let is_url = place.starts_with("https://") || place.starts_with("http://");
            let key = if is_url { "url" } else { "file" };
            return visitor.visit_map(MapDeserializer::new([(key, self)].into_iter()));
        }
        visitor.visit_map(self.entries(Some((name, fields)))?)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Mistake> {
        visitor.visit_map(self.entries(None)?)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Mistake> {
        let text = self.node.text();
        if name == "SourceOption" {
            let (variant, entry) = match (&self.node.data, text) {
                (Data::Map(all), _) if all.len() == 1 => (&*all[0].key, Some(&all[0])),
                (Data::Map(all), _) if all.len() > 1 => {
                    let hint = format!("indent the others, to put them below `{}`", all[0].key);
                    return Err(Mistake::Other("a source has one key".into(), Some(hint)));
                }
                (_, Some(text)) if variants.contains(&text) => (text, None),
                _ => return Err(Mistake::no_source(self.node.kind())),
            };
            return match entry {
                Some(entry) if !variants.contains(&variant) => Err(self.kind(entry, variants)),
                _ => visitor.visit_enum(Variant(self, variant, entry)),
            };
        }
        match text.filter(|text| variants.contains(text)) {
            Some(_) if name == "Cwd" && !self.reading.layer.origin.is_user() => {
                Err(Mistake::Other(
                    "`cwd` is for the user's own configuration: providers of a project start in it"
                        .into(),
                    Some("remove it".into()),
                ))
            }
            Some(text) => visitor.visit_enum(StrDeserializer::new(text)),
            None if name == "Level" => {
                let found = text.map_or(self.node.kind().into(), |text| format!("`{text}`"));
                let message = format!("a rule is set to off, note, warn or error, not {found}");
                let hint = text.and_then(|text| did_you_mean(text, variants.iter().copied()));
                Err(Mistake::Other(message, hint))
            }
            None => Self::expected(&quoted_or(variants)),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i128 u8 u16 u128 f32 char str bytes byte_buf unit unit_struct tuple tuple_struct
        identifier ignored_any
    }
}

impl Value<'_> {
    /// Reports a kind of source that does not exist, at its key.
    fn kind(self, entry: &Entry, variants: &[&'static str]) -> Mistake {
        let kind = &entry.key;
        let hint = did_you_mean(kind, variants.iter().copied());
        let hint = hint.unwrap_or_else(|| "write `- local: ./tools`".into());
        let message = format!("`{kind}` is not a kind of source");
        self.reading.report(message, hint, entry.span);
        self.reading.skip(self.node);
        Mistake::Reported
    }
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Mistake;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Mistake> {
        let Self(list, rest) = self;
        let item = rest.find(|item| !list.reading.is_skipped(item));
        let item = item.map(|node| Value {
            node,
            is_item: true,
            ..*list
        });
        item.map(|item| item.read(seed)).transpose()
    }
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Mistake;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Mistake> {
        let reading = self.value.reading;
        for entry in self.rest.by_ref() {
            if reading.is_skipped(&entry.value) {
                continue;
            }
            let Some((name, known)) = self
                .fields
                .filter(|(_, known)| !known.contains(&&*entry.key))
            else {
                self.current = Some(entry);
                return seed.deserialize(StrDeserializer::new(&entry.key)).map(Some);
            };
            let key = &entry.key;
            let (message, hint) = if name == "Hosts" {
                let hint = "hosts are gemini, openai, anthropic and mcp";
                (format!("`{key}` is not a known host"), hint)
            } else {
                let hint = "see cogtoolrc(5) for all keys";
                (format!("unknown key `{key}`"), hint)
            };
            let suggestion = did_you_mean(key, known.iter().copied());
            // A slip may be in what protects, such as `sandox`.
            let extent = match (name, &suggestion) {
                ("ServerOptions", None) => Extent::Key,
                _ => Extent::Entry,
            };
            let hint = suggestion.unwrap_or_else(|| hint.into());
            reading.report_as(extent, message, hint, entry.span);
            reading.skip(&entry.value);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Mistake> {
        let entry = self.current.take().ok_or(Mistake::Reported)?;
        self.value.entry(entry).read(seed)
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Mistake;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Mistake> {
        Ok((seed.deserialize(StrDeserializer::new(self.1))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Mistake;

    fn unit_variant(self) -> Result<(), Mistake> {
        let kind = |entry| Err(self.0.kind(entry, &[]));
        self.2.map_or(Ok(()), kind)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Mistake> {
        let entry = self.2.ok_or_else(|| Mistake::no_source("a string"))?;
        (self.0.entry(entry).read(seed)).inspect_err(|_| self.0.reading.skip(self.0.node))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Mistake> {
        Err(Mistake::Reported)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Mistake> {
        Err(Mistake::Reported)
    }
}

/// The message of a custom error is the value that is expected.
impl de::Error for Mistake {
    fn custom<T: Display>(expected: T) -> Self {
        Self::Expected(expected.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(expected)
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(expected)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::Missing(field)
    }
}
