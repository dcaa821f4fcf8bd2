//! The user's file with the prices and the sizes of models.

use cogtools_agent::Price;
use cogtools_core::text::Text;
use cogtools_core::{AskConfig, Code, ConfigFile, Diagnostic, Pattern, yaml};
use cogtools_program::Failure;
use serde::Deserialize;
use serde_json::Value;

/// What is known about a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelFacts {
    /// What it costs.
    pub price: Option<Price>,
    /// How many tokens it reads.
    pub context: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prices {
    /// When they were looked up.
    #[serde(rename = "date")]
    _date: String,
    currency: String,
    models: serde_json::Map<String, Value>,
}

/// Prices are for a million tokens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelPrices {
    input: f64,
    output: f64,
    /// By default, what is cached costs as much as what is not.
    cached: Option<f64>,
    context: Option<u64>,
}

/// What the configuration says about `model`.
pub fn facts(ask: &AskConfig, model: &str) -> Result<ModelFacts, Failure> {
    match &ask.prices {
        Some(file) => read(file, model),
        None => Ok(ModelFacts::default()),
    }
}

/// What `file` says about `model`: the first name or pattern that matches it counts.
fn read(file: &ConfigFile, model: &str) -> Result<ModelFacts, Failure> {
    let text = Text::read(&file.path, &file.display_path, &file.scope)
        .map_err(|error| Failure::from(error.diagnostic(Code::InvalidConfig)))?;
    let document = yaml::parse(&text)
        .map_err(|error| Failure::from(error.diagnostic(Code::InvalidConfig, &text)))?;
    find(document.to_json(), model).map_err(|error| {
        let message = format!("this is not a file with prices: {error}");
        Diagnostic::new(Code::InvalidConfig, message)
            .with_subject(file.display_path.display().to_string())
            .hint("cogtoolrc(5) shows an example")
            .into()
    })
}

fn find(document: Value, model: &str) -> Result<ModelFacts, serde_json::Error> {
    let prices: Prices = serde_json::from_value(document)?;
    let mut found = ModelFacts::default();
    for (pattern, value) in prices.models {
        let entry: ModelPrices = serde_json::from_value(value)?;
        if found == ModelFacts::default() && Pattern::new(&pattern).matches(model) {
            let price = Price {
                currency: prices.currency.clone(),
                input: entry.input,
                cached: entry.cached.unwrap_or(entry.input),
                output: entry.output,
            };
            found = ModelFacts {
                price: Some(price),
                context: entry.context,
            };
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_name_that_matches_counts() {
        let document = json!({
            "date": "2026-11-01",
            "currency": "USD",
            "models": {
                "small": {"input": 0.1, "output": 0.4, "cached": 0.01, "context": 1000},
                "s*": {"input": 1, "output": 4},
            },
        });
        let price = |input, cached, output| {
            let currency = "USD".to_owned();
            Some(Price {
                currency,
                input,
                cached,
                output,
            })
        };
        for (model, price, context) in [
            ("small", price(0.1, 0.01, 0.4), Some(1000)),
            ("smart", price(1.0, 1.0, 4.0), None),
            ("other", None, None),
        ] {
            let facts = find(document.clone(), model).expect("valid");
            assert_eq!(facts, ModelFacts { price, context }, "{model}");
        }
    }

    #[test]
    fn a_file_without_a_date_is_invalid() {
        let error = find(json!({"currency": "USD", "models": {}}), "m");
        let expected = "missing field `date`";
        assert_eq!(
            error.map_err(|error| error.to_string()),
            Err(expected.to_owned())
        );
    }
}
