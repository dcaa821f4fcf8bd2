//! `locked`: a key that protects. A later layer can set it, and not unset it.

use super::Config;
use super::reader::Reader;
use crate::yaml::{Data, Entry};

/// Reads the value of `locked` over that of earlier layers.
pub(super) fn read(reader: &mut Reader<'_>, entry: &Entry, config: &mut Config) {
    let Data::Bool(locked) = entry.value.data else {
        return reader.reject_value("locked", "`true` or `false`", &entry.value);
    };
    if locked || !config.locked {
        config.locked = locked;
        config.set(reader.setting(entry.key.clone(), entry));
    }
}
