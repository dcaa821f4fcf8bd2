//! The modes of function calling: what a request may ask for, and whether the script's
//! turn obeys.

use serde_json::Value;

use super::field::{field, items};

/// The calling mode that a request asks for.
#[derive(Clone, Debug)]
pub(super) struct Mode<'r> {
    name: String,
    allowed: Vec<&'r str>,
}

impl<'r> Mode<'r> {
    /// Reads a `toolConfig`.
    pub(super) fn read(config: &'r Value) -> Self {
        let config = field(config, "functionCallingConfig");
        let name = config["mode"]
            .as_str()
            .unwrap_or("AUTO")
            .to_ascii_uppercase();
        let allowed = items(field(config, "allowedFunctionNames")).iter();
        Self {
            name: if name == "MODE_UNSPECIFIED" {
                "AUTO".to_owned()
            } else {
                name
            },
            allowed: allowed.filter_map(Value::as_str).collect(),
        }
    }

    /// Checks it against the names of the declared functions.
    pub(super) fn check(&self, declared: &[&str], complaints: &mut Vec<String>) {
        if !self.allowed.is_empty() && !["ANY", "VALIDATED"].contains(&self.name.as_str()) {
            complaints.push(
                "allowed_function_names should only be set when the mode is ANY or VALIDATED."
                    .to_owned(),
            );
        }
        for name in &self.allowed {
            if !declared.contains(name) {
                complaints.push(format!(
                    "allowed_function_names contains {name}, which is not declared."
                ));
            }
        }
        if self.name == "ANY" && declared.is_empty() {
            complaints.push(
                "Function calling mode is ANY, but no function declarations are provided."
                    .to_owned(),
            );
        }
    }

    /// The reasons for which a model would not answer with these calls.
    pub(super) fn disobeyed(&self, calls: &[&str]) -> Vec<String> {
        let mut reasons = Vec::new();
        match self.name.as_str() {
            "ANY" if calls.is_empty() => reasons.push("calls nothing in mode ANY".to_owned()),
            "NONE" => reasons.extend(
                calls
                    .iter()
                    .map(|name| format!("calls {name} in mode NONE")),
            ),
            _ => {}
        }
        if !self.allowed.is_empty() {
            let others = calls.iter().filter(|name| !self.allowed.contains(name));
            reasons.extend(others.map(|name| format!("calls {name}, which is not allowed")));
        }
        reasons
    }
}
