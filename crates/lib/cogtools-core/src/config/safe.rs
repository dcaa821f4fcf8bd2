//! The key `safe_directories`.

use super::Config;
use super::error::ConfigError;
use super::origin::Origin;
use super::reader::Reader;
use crate::owner;
use crate::yaml::Entry;

impl Reader<'_> {
    /// Checks the folders of other users that the user admits. [`owner::Owners`] reads
    /// them where they are needed, which is before the configuration is loaded.
    pub(super) fn safe_directories(&mut self, entry: &Entry, config: &mut Config) {
        if !matches!(self.layer.origin, Origin::System(_) | Origin::Home(_)) {
            self.report(&ConfigError::UsersOnly(owner::KEY), entry.span);
            return;
        }
        let entries = self.strings(owner::KEY, &entry.value);
        if !entries.iter().all(|entry| owner::is_entry(entry)) {
            self.reject_value(owner::KEY, "a list of absolute paths", &entry.value);
            return;
        }
        config.set(self.setting(owner::KEY.to_owned(), entry));
    }
}
