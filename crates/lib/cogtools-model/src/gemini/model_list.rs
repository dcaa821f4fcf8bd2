//! The models of the Gemini API.

use cogtools_http::http::Method;
use serde_json::Value;

use super::Gemini;
use crate::{ModelError, ModelInfo};

/// How many pages are read.
const MAX_PAGES: usize = 20;

/// How many models are listed.
const MAX_MODELS: usize = 10_000;

/// All models that generate text, sorted by name.
pub(super) async fn list(gemini: &Gemini) -> Result<Vec<ModelInfo>, ModelError> {
    let mut models = Vec::new();
    let mut page: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let url = gemini.endpoint.models_url(page.as_deref());
        let answer = gemini.exchange_json(Method::GET, url, Vec::new()).await?;
        let listed = answer
            .get("models")
            .or_else(|| answer.get("publisherModels"));
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        models.extend(listed.filter(|model| generates(model)).filter_map(info));
        let next = answer.get("nextPageToken").and_then(Value::as_str);
        let next = next.filter(|next| !next.is_empty() && page.as_deref() != Some(*next));
        if next.is_none() || models.len() >= MAX_MODELS {
            break;
        }
        page = next.map(str::to_owned);
    }
    models.truncate(MAX_MODELS);
    models.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(models)
}

/// Vertex AI does not say what a model does.
fn generates(model: &Value) -> bool {
    let methods = model
        .get("supportedGenerationMethods")
        .and_then(Value::as_array);
    methods.is_none_or(|methods| methods.iter().any(|method| method == "generateContent"))
}

fn info(model: &Value) -> Option<ModelInfo> {
    let name = model.get("name")?.as_str()?;
    let count = |key: &str| model.get(key).and_then(Value::as_u64);
    Some(ModelInfo {
        name: name
            .rsplit_once("models/")
            .map_or(name, |(_, id)| id)
            .to_owned(),
        title: model
            .get("displayName")
            .and_then(Value::as_str)
            .map(str::to_owned),
        input_tokens: count("inputTokenLimit"),
        output_tokens: count("outputTokenLimit"),
    })
}
