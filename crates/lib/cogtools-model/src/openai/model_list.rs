//! The models of a server.

use serde_json::Value;

use crate::ModelInfo;

/// Where servers say how many tokens a model reads: vLLM, `OpenRouter`, LM Studio, llama.cpp.
const CONTEXT: [&str; 4] = [
    "/max_model_len",
    "/context_length",
    "/max_context_length",
    "/meta/n_ctx_train",
];

/// All models, sorted by name.
pub(super) fn read(answer: &Value) -> Vec<ModelInfo> {
    let listed = answer.get("data").unwrap_or(answer);
    let listed = listed.as_array().into_iter().flatten();
    let mut models: Vec<ModelInfo> = listed.filter_map(info).collect();
    models.sort_by(|one, other| one.name.cmp(&other.name));
    models
}

fn info(model: &Value) -> Option<ModelInfo> {
    let count = |pointer: &&str| model.pointer(pointer).and_then(Value::as_u64);
    Some(ModelInfo {
        name: model.get("id")?.as_str()?.to_owned(),
        title: model.get("name").and_then(Value::as_str).map(str::to_owned),
        input_tokens: CONTEXT.iter().find_map(count),
        output_tokens: None,
    })
}
