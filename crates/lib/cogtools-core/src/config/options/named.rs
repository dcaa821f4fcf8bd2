//! Values that the reader of a layer has read itself.

use serde::de::Visitor;
use serde::{Deserialize as _, Deserializer};

/// Reads a text that the reader of the layer makes of a value, by the name of its type.
pub(super) struct Named;

impl Named {
    pub(super) fn read<'de, D: Deserializer<'de>>(
        name: &'static str,
        from: D,
    ) -> Result<String, D::Error> {
        from.deserialize_newtype_struct(name, Self)
    }
}

impl<'de> Visitor<'de> for Named {
    type Value = String;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text")
    }

    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        String::deserialize(from)
    }
}
