//! `--dry-run`: the request by layers, without a network.

use super::*;

/// `cogtools ask --dry-run` in `project`; times and hashes are redacted.
fn dry_run(project: &Project, args: &[&str]) -> String {
    let outcome = run("cogtools-ask", project)
        .args(["--dry-run"])
        .args(args)
        .run();
    let text = outcome.succeeds().text();
    redact(&text)
}

/// `text` with `TIME` for times and `HASH` for the ends of lines with layers.
fn redact(text: &str) -> String {
    let mut redacted = String::new();
    for line in text.lines() {
        let line = match line.find("current_datetime") {
            Some(at) => {
                let start = at + line[at..].find(": ").expect("a value") + 4;
                let end = start + line[start..].find('Z').expect("the end of a time") + 1;
                format!("{}TIME{}", &line[..start], &line[end..])
            }
            None => line.to_owned(),
        };
        let line = match line.split_once(" tokens, ") {
            Some((start, rest)) if rest.len() >= 12 => {
                format!("{start} tokens, HASH{}", &rest[12..])
            }
            _ => line,
        };
        redacted.push_str(&line);
        redacted.push('\n');
    }
    redacted
}

#[test]
fn instructions_options_and_urls_of_the_command_line_are_sent() {
    let project = project();
    let request = |args: &[&str]| {
        let options = ["-s", "Be brief.", "-o", "topP=0.9", "-o", "thinking=high"];
        let run = run("cogtools-ask", &project).args(["--dry-run", "--json"]);
        let outcome = run.args(options).args(args).run();
        let report: Value = serde_json::from_str(&outcome.succeeds().text()).expect("JSON");
        report["request"].clone()
    };
    let body = request(&["-f", "https://example.org/a.png", "Hi"]);
    assert_eq!(body["systemInstruction"]["parts"][0]["text"], "Be brief.");
    let generation = &body["generationConfig"];
    assert_eq!(generation["topP"], 0.9);
    assert_eq!(
        generation["thinkingConfig"],
        json!({"thinkingLevel": "high"})
    );
    let file = json!({"fileUri": "https://example.org/a.png", "mimeType": "image/png"});
    let trigger = body["contents"].as_array().and_then(|all| all.last());
    assert_eq!(
        trigger.expect("a task")["parts"][0],
        json!({"fileData": file})
    );
    // Data on standard input is known by its first bytes.
    let piped = |bytes: &[u8]| {
        let run = run("cogtools-ask", &project).args(["--dry-run", "--json", "Hi"]);
        run.stdin(bytes).run()
    };
    let body = &piped(b"\x89PNG\r\n\x1a\n\xff").json()["request"];
    let trigger = body["contents"].as_array().and_then(|all| all.last());
    assert_eq!(
        trigger.expect("a task")["parts"][1],
        json!({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgr/"}})
    );
    piped(b"\xff\xfe\x00").fails(
        2,
        str![[r#"
cogtools-ask: error[USAGE]: standard input: this is not text, nor a file that models read
hint: models read text, PNG, JPEG, WebP, HEIC, GIF, PDF, WAV, MP3, MP4 and WebM

"#]],
    );
    run("cogtools-ask", &project)
        .args(["--dry-run", "-o", "high", "Hi"])
        .run()
        .status(2)
        .stderr_contains("invalid value 'high' for '--option <KEY=VALUE>'");
}

#[test]
fn the_request_is_printed_by_layers() {
    let project = project();
    project.file(
        ".cogtoolrc.yaml",
        "prompt: {description: You greet people., rules: [Be polite.]}\nask: {seed: 7}\n",
    );
    assert_text(
        dry_run(&project, &["Greet Ada"]),
        str![[r#"
model     gemini-flash-latest
static    67 tokens, HASH
dynamic   24 tokens, HASH
buffered  0 tokens, HASH
trigger   12 tokens, HASH

{
  "systemInstruction": {
    "parts": [
      {
        "text": "You greet people.\n\n# Rules\n\n- Be polite."
      }
    ]
  },
  "tools": [
    {
      "functionDeclarations": [
        {
          "name": "greet",
          "description": "Greets a person by name",
          "parametersJsonSchema": {
            "type": "object",
            "properties": {
              "person": {
                "type": "string",
                "description": "Who is greeted"
              }
            },
            "required": [
              "person"
            ]
          }
        }
      ]
    }
  ],
  "contents": [
    {
      "role": "user",
      "parts": [
        {
          "text": "{\n  \"current_datetime\": \"TIME\"\n}"
        }
      ]
    },
    {
      "role": "user",
      "parts": [
        {
          "text": "Greet Ada"
        }
      ]
    }
  ],
  "generationConfig": {
    "seed": 7
  }
}

"#]],
    );
}

#[test]
fn json_names_each_layer_and_the_request() {
    let project = project();
    let args = ["--dry-run", "--json", "--seed", "7", "Greet Ada"];
    let report = run("cogtools-ask", &project).args(args).run().json();
    let layers = report["layers"].as_array().expect("a list");
    let names: Vec<&Value> = layers.iter().map(|layer| &layer["name"]).collect();
    assert_eq!(names, ["static", "dynamic", "buffered", "trigger"]);
    for layer in layers {
        let keys: Vec<&String> = layer.as_object().expect("a map").keys().collect();
        assert_eq!(keys, ["name", "tokens", "hash", "cached"]);
        assert_eq!(layer["hash"].as_str().map(str::len), Some(64));
        assert_eq!(layer["cached"], false);
        assert_eq!(layer["tokens"] == 0, layer["name"] == "buffered", "{layer}");
    }
    let keys: Vec<&String> = report.as_object().expect("a map").keys().collect();
    assert_eq!(keys, ["layers", "request", "cache"]);
    assert_eq!(report["cache"], Value::Null);
    let contents = report["request"]["contents"].as_array().expect("a list");
    let task = json!({"role": "user", "parts": [{"text": "Greet Ada"}]});
    assert_eq!((contents.len(), &contents[1]), (2, &task));
}

#[test]
fn the_request_that_is_printed_is_the_one_that_is_sent() {
    let project = project();
    project.file("AGENTS.md", "Greet in French.\n".repeat(80));
    project.file(
        ".cogtoolrc.yaml",
        "ask: {history: {cache_threshold: 300}, model: small}\n",
    );
    let model = cogtools_test_support::Model::new("small").min_cache_tokens(1);
    let fake = FakeGemini::with(
        cogtools_test_support::Options::default().model(model),
        [
            Turn::call("greet", json!({"person": "Ada"})),
            Turn::text("Bonjour Ada."),
            Turn::text("Bonjour Bob."),
        ],
    );
    let session = ["--session", "s.jsonl", "--continue"];
    let ask = |task: &str| {
        ask(&project, &fake)
            .args(["-q"])
            .args(session)
            .arg(task)
            .run()
    };
    ask("Greet Ada").outputs("Bonjour Ada.\n");
    let before = project.read("s.jsonl");
    let args = ["--dry-run", "--json", "Greet Bob"];
    let report = run("cogtools-ask", &project).args(session).args(args).run();
    let report = report.json();
    assert_eq!(project.read("s.jsonl"), before);
    ask("Greet Bob").outputs("Bonjour Bob.\n");
    let conversation = fake.finish();
    let sent = &conversation.main()[2].body;
    assert_eq!(report["cache"], sent["cachedContent"]);
    assert_eq!(report["layers"][0]["cached"], true);
    let without_time = |body: &Value| {
        let mut body = body.clone();
        body["contents"][0] = Value::Null;
        // The time is part of the last task, too.
        let last = body["contents"]
            .as_array_mut()
            .and_then(|all| all.last_mut());
        last.expect("a task")["parts"][1] = Value::Null;
        body
    };
    assert_eq!(without_time(&report["request"]), without_time(sent));
}
