//! The keys of `hosts.mcp` about the server itself: what it calls itself, and what it tells
//! models about its tools.

use super::Config;
use super::reader::Reader;
use crate::yaml::Entry;

/// The longest text, in bytes: a client sends it with every request.
const MAX_BYTES: usize = 8 << 10;

impl Config {
    /// The keys below `hosts.mcp` with texts of the server.
    pub const MCP_TEXTS: [&'static str; 2] = ["title", "instructions"];

    /// The text of one of [`Self::MCP_TEXTS`], and whether the user has written it, and not the
    /// project.
    pub fn mcp_text(&self, key: &str) -> Option<(&str, bool)> {
        let key = format!("hosts.mcp.{key}");
        let mut settings = self.settings.iter();
        let setting = settings.find(|setting| setting.key == key)?;
        let is_users = setting.origins().all(|(origin, _)| origin.is_user());
        Some((setting.value.as_str()?, is_users))
    }
}

impl Reader<'_> {
    /// Reads one of [`Config::MCP_TEXTS`].
    pub(super) fn mcp_text(&mut self, entry: &Entry, config: &mut Config) {
        let text = entry.value.text().unwrap_or_default();
        if text.trim().is_empty() || text.len() > MAX_BYTES {
            return self.reject_value(&entry.key, "a text of at most 8 KiB", &entry.value);
        }
        config.set(self.setting(format!("hosts.mcp.{}", entry.key), entry));
    }
}
