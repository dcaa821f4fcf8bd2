//! Documents of tools as resources, and completions of the arguments of prompts.

use cogtools_test_support::Project;
use serde_json::{Value, json};

use crate::exchange::{check, check_both, initialize, request, serve};

#[test]
fn documents_of_tools_are_resources() {
    check_both(
        "resources/list",
        &json!({}),
        &json!({"resources": [{
            "uri": "cogtools://tools/greet",
            "name": "greet",
            "title": "Greet",
            "description": "Parameters and examples of the tool greet",
            "mimeType": "text/markdown",
        }]}),
    );
    let text = "# greet\n\nGreets a person\n\n## Parameters\n\n```json\n{\n  \"type\": \"object\",\n  \
                \"properties\": {\n    \"person\": {\n      \"type\": \"string\",\n      \
                \"description\": \"Who is greeted\"\n    },\n    \"times\": {\n      \"type\": \
                \"integer\",\n      \"default\": 1\n    }\n  },\n  \"required\": [\n    \
                \"person\"\n  ]\n}\n```\n\n## Examples\n\n```json\n{\n  \"person\": \"Grace\"\n}\n```\n";
    check_both(
        "resources/read",
        &json!({"uri": "cogtools://tools/greet"}),
        &json!({"contents": [{
            "uri": "cogtools://tools/greet", "mimeType": "text/markdown", "text": text,
        }]}),
    );
    for (uri, message) in [
        (
            "cogtools://tools/great",
            "great: no such tool; did you mean `greet`?",
        ),
        (
            "file:///etc/passwd",
            "there is no such resource; those of tools begin with `cogtools://tools/`",
        ),
    ] {
        let read = request("it", "resources/read", json!({"uri": uri}));
        let error = json!({"code": -32002, "message": message});
        let response = json!({"jsonrpc": "2.0", "id": "it", "error": error});
        check(&initialize(), &read.to_string(), &[response]);
    }
}

#[test]
fn arguments_of_prompts_are_completed() {
    let project = Project::new();
    project.file(
        "tools/say.yaml",
        "name: say\ndescription: d\nparameters:\n  tone: {type: string, enum: [warm, Wry, dry]}\n  \
         level: {type: integer, enum: [1, 12, 2]}\n  loud: boolean\n  text: string\n\
         examples:\n  - {tone: dry, level: 1, loud: true, text: a}\nimplementation: \"{{ text }}\"\n",
    );
    for (argument, typed, expected) in [
        ("tone", "w", json!(["warm", "Wry"])),
        ("tone", "", json!(["warm", "Wry", "dry"])),
        ("level", "1", json!(["1", "12"])),
        ("loud", "T", json!(["true"])),
        ("text", "", json!([])),
        ("other", "", json!([])),
    ] {
        let params = json!({
            "ref": {"type": "ref/prompt", "name": "say"},
            "argument": {"name": argument, "value": typed},
        });
        let line = request("it", "completion/complete", params);
        let (status, stdout, stderr) = serve(&project, format!("{}\n{line}", initialize()), &[]);
        assert_eq!((status, stderr.as_str()), (0, ""));
        let mut answers = stdout
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let answer = answers
            .find(|answer| answer["id"] == "it")
            .expect("an answer");
        let total = expected.as_array().map(Vec::len);
        let completion = json!({"values": expected, "total": total, "hasMore": false});
        assert_eq!(
            answer["result"],
            json!({ "completion": completion }),
            "{argument}"
        );
    }
    check_both(
        "completion/complete",
        &json!({"ref": {"type": "ref/prompt", "name": "great"}, "argument": {"name": "a", "value": ""}}),
        &json!({"code": -32602, "message": "great: there is no such prompt"}),
    );
}
