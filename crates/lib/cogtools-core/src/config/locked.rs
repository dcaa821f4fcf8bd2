//! `locked`: a key that protects. A later layer can set it, and not unset it.

use super::Config;
use super::reader::Reader;
use crate::yaml::{Data, Entry};

impl Reader<'_> {
    /// Reads the value of `locked` over that of earlier layers.
    pub(super) fn locked(&mut self, entry: &Entry, config: &mut Config) {
        let Data::Bool(locked) = entry.value.data else {
            return self.reject_value("locked", "`true` or `false`", &entry.value);
        };
        if locked || !config.locked {
            config.locked = locked;
            config.set(self.setting(entry.key.clone(), entry));
        }
    }
}
