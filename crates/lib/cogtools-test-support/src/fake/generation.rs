//! The API's rules for how content is generated.

use serde_json::Value;

use super::field::{field, items};
use super::schema;

/// The maximum number of stop sequences.
const MAX_STOPS: usize = 5;

/// Checks a `generationConfig`.
pub(super) fn check(config: &Value, complaints: &mut Vec<String>) {
    if config.is_null() {
        return;
    }
    let at = "generation_config";
    let temperature = &config["temperature"];
    let is_in_range = |value: f64| (0.0..=2.0).contains(&value);
    if !temperature.is_null() && temperature.as_f64().is_none_or(|value| !is_in_range(value)) {
        complaints.push(format!("{at}.temperature: must be in the range [0.0, 2.0]"));
    }
    let tokens = field(config, "maxOutputTokens");
    if !tokens.is_null() && tokens.as_i64().is_none_or(|tokens| tokens <= 0) {
        complaints.push(format!("{at}.max_output_tokens: must be a positive number"));
    }
    if items(field(config, "stopSequences")).len() > MAX_STOPS {
        complaints.push(format!(
            "{at}.stop_sequences: at most {MAX_STOPS} are supported"
        ));
    }
    let (plain, json) = (
        field(config, "responseSchema"),
        field(config, "responseJsonSchema"),
    );
    if !plain.is_null() && !json.is_null() {
        complaints.push(format!(
            "{at}: only one of response_schema and response_json_schema may be set"
        ));
    }
    let is_structured = !plain.is_null() || !json.is_null();
    let kind = field(config, "responseMimeType");
    if is_structured && kind != "application/json" && kind != "text/x.enum" {
        complaints.push(format!(
            "{at}.response_mime_type: a schema needs application/json, not {kind}"
        ));
    }
    if !plain.is_null() {
        schema::check(plain, &format!("{at}.response_schema"), complaints);
    }
    if !json.is_null() && !json.is_object() {
        complaints.push(format!("{at}.response_json_schema: not a schema"));
    }
}
