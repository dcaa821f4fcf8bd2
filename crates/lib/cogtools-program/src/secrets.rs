//! The values of variables that are secrets, by the names of the variables.

use crate::Io;

impl Io<'_> {
    /// The variables whose values must not be logged, with these values.
    pub fn secrets(&self) -> Vec<(String, String)> {
        let is_secret = |name: &str| {
            let name = name.to_ascii_uppercase();
            ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"]
                .iter()
                .any(|word| name.contains(word))
        };
        let vars = self
            .vars
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
        vars.filter(|(name, _)| is_secret(name))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}
