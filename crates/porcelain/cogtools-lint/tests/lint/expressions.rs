//! Expressions that are no templates, examples and code, in the language server.

use serde_json::{Value, json};

use crate::server::{Client, offered, offered_in, project, text_at, with};

/// A tool with expressions that are no templates.
const RUNS: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greets people
parameters:
  mood: {enum: [glad, sad], description: How they are}
  people: {type: array, items: string, description: The guests}
examples:
  - mood: glad
    people: [Ada]
implementation:
  exec:
    - echo
    - {when: \"mood == 'sad'\", args: ['{{ mood }}']}
    - for: person in people
      when: mood
      args: ['{{ person }}']
";

#[test]
fn expressions_are_read_like_templates() {
    let asked = |method: &str, needle: &str, more: &Value| {
        let project = project();
        let mut client = Client::new(&project);
        client.open("tools/greet.yaml", RUNS);
        client.ask_at(method, "tools/greet.yaml", RUNS, needle, more);
        client.last_result()
    };
    let renamed = asked("rename", "when: \"mo", &json!({"newName": "way"}));
    let edits = renamed["changes"]
        .as_object()
        .unwrap()
        .values()
        .next()
        .unwrap();
    let places = edits.as_array().unwrap().iter().map(|edit| {
        assert_eq!(text_at(RUNS, &edit["range"]), "mood");
        edit["range"]["start"]["line"].as_u64().unwrap()
    });
    assert_eq!(places.collect::<Vec<_>>(), [4, 7, 12, 12, 14]);
    let renamed = asked("rename", "in peo", &json!({"newName": "guests"}));
    assert_eq!(
        renamed.to_string().matches("newText").count(),
        3,
        "{renamed}"
    );
    let hovered = asked("hover", "when: mo", &json!({}));
    assert_eq!(
        hovered["contents"]["value"],
        "`mood`: one of \"glad\", \"sad\"\n\nHow they are"
    );
}

#[test]
fn completion_of_expressions_examples_and_code() {
    let with = |from: &str, to: &str| {
        assert!(RUNS.contains(from), "{from}");
        RUNS.replace(from, to)
    };
    let has = |text: &str, needle: &str, expected: &[&str]| {
        let found = offered_in(RUNS, text, needle);
        for name in expected {
            assert!(found.iter().any(|it| it == name), "{name}: {found:?}");
        }
    };
    has(
        &with("when: mood\n", "when: \n"),
        "      when: ",
        &["mood", "people"],
    );
    has(
        &with("person in people", "person in "),
        "person in ",
        &["people"],
    );
    has(
        &with("when: mood\n", "when: mood == '\n"),
        "when: mood == '",
        &["glad", "sad"],
    );
    has(
        &with("  - mood: glad", "  - mood: "),
        "  - mood: ",
        &["glad", "sad"],
    );
    has(
        &with("    people: [Ada]", "    peo"),
        "    peo",
        &["people"],
    );
    let code = |code: &str| {
        let start = RUNS.find("implementation:").unwrap();
        format!(
            "{}implementation:\n  js: |\n    {code}\n  tools: [gr]\n",
            &RUNS[..start]
        )
    };
    has(&code("if (args.mood === '') {}"), "=== '", &["glad", "sad"]);
    has(&code("return 1"), "tools: [gr", &["greet"]);
}

/// A tool whose code gives values of the call other names.
const CODE: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greets people
parameters:
  people:
    type: array
    description: The guests
    items:
      type: object
      properties:
        name: {type: string, description: The name}
        mood: {type: string, enum: [glad, sad], description: How they are}
examples:
  - people: [{name: Ada, mood: glad}]
implementation:
  js: |
    const {people} = args;
    const names = people.map(p => p.name.trim());
    for (const guest of args.people) { if (guest.mood === 'sad') names.push(guest.name) }
    return args.people[0].name + names.join()
";

#[test]
fn names_of_values_in_code() {
    // A statement in the place of the last one; the brackets may still be open.
    for (statement, expected) in [
        ("return args.people.map(p => p.^)", "name mood"),
        ("return args.people.map((p) => { return p?.na^", "name mood"),
        ("return `${args.people.map(p => [p.^", "name mood"),
        ("return people[0].^", "name mood"),
        ("for (const p of args.people) p.^", "name mood"),
        ("for (const p of args.people) if (p.^", "name mood"),
        ("return people.filter(p => p.mood === '^", "glad sad"),
        ("return people.filter(p => p.mood !== '^')", "glad sad"),
        ("return names.length ? people[0].^ : ''", "name mood"),
        ("return other.^", ""),
        (
            "for (const guest of args.people) gu^",
            "args guest names people",
        ),
        ("return people.map(p => ^)", "args names p people"),
        ("return '^", ""),
        ("return 'ar^'", ""),
    ] {
        let text = CODE.replace("return args.people[0].name + names.join()", statement);
        let needle = statement.split('^').next().unwrap();
        let found = offered_in(CODE, &text.replace('^', ""), needle);
        assert_eq!(found.join(" "), expected, "{statement}");
    }
    let texts = offered_in(
        CODE,
        &CODE.replace("p.name.trim()", "p.name."),
        "=> p.name.",
    );
    assert!(texts.contains(&"padStart".to_owned()), "{texts:?}");

    let asked = |method: &str, needle: &str, more: &Value| {
        let project = project();
        let mut client = Client::new(&project);
        client.open("tools/greet.yaml", CODE);
        client.ask_at(method, "tools/greet.yaml", CODE, needle, more);
        client.last_result()
    };
    let name = "`people[].name`: string\n\nThe name";
    for (needle, expected) in [
        ("people[0].na", name),
        ("=> p.na", name),
        ("push(guest.na", name),
        ("(const gue", "`people[]`: object"),
        ("const {peo", "`people`: array of object\n\nThe guests"),
    ] {
        let hovered = asked("hover", needle, &json!({}));
        assert_eq!(hovered["contents"]["value"], expected, "{needle}");
    }
    // Each name of the value changes, and no variable that has it under another name.
    let changed = |needle: &str, of: &str, new: &str| {
        let renamed = asked("rename", needle, &json!({"newName": new}));
        let edits = renamed["changes"].as_object().unwrap().values().next();
        let mut lines: Vec<String> = CODE.lines().map(str::to_owned).collect();
        for edit in edits.unwrap().as_array().unwrap().iter().rev() {
            assert_eq!(text_at(CODE, &edit["range"]), of);
            let place = |key: &str| {
                let number = edit["range"]["start"][key].as_u64();
                usize::try_from(number.unwrap()).unwrap()
            };
            let start = place("character");
            lines[place("line")].replace_range(start..start + of.len(), new);
        }
        lines.join("\n") + "\n"
    };
    let expected = CODE
        .replace("  name: {", "  called: {")
        .replace("{name: A", "{called: A");
    let expected = expected.replace(".name", ".called");
    assert_eq!(changed("push(guest.na", "name", "called"), expected);
    assert_eq!(
        changed("args.peo", "people", "guests"),
        CODE.replace("people:", "guests:")
            .replace("people[", "guests[")
            .replace("{people}", "{guests}")
            .replace("args.people", "args.guests")
            .replace("people.map", "guests.map")
    );
    assert_eq!(
        asked("rename", "(const gue", &json!({"newName": "one"})),
        Value::Null
    );
}

#[test]
fn a_variable_that_changes_has_the_new_name_and_objects_keep_their_keys() {
    let code = CODE.replace(
        "    const {people} = args;\n",
        "    let {people} = args;\n    people = people.slice(1);\n    \
         const {people: others} = args;\n    names.push({people, others});\n",
    );
    let project = project();
    let mut client = Client::new(&project);
    client.open("tools/greet.yaml", &code);
    let new = json!({"newName": "guests"});
    client.ask_at("rename", "tools/greet.yaml", &code, "args.peo", &new);
    let result = client.last_result();
    let edits = result["changes"].as_object().unwrap().values().next();
    let mut lines: Vec<String> = code.lines().map(str::to_owned).collect();
    for edit in edits.unwrap().as_array().unwrap().iter().rev() {
        assert_eq!(text_at(&code, &edit["range"]), "people");
        let number = |key: &str| edit["range"]["start"][key].as_u64().unwrap();
        let start = usize::try_from(number("character")).unwrap();
        let line = usize::try_from(number("line")).unwrap();
        lines[line].replace_range(start..start + 6, edit["newText"].as_str().unwrap());
    }
    let expected = code.replace("people", "guests");
    let expected = expected.replace("push({guests, others", "push({people: guests, others");
    assert_eq!(
        lines.join("\n") + "\n",
        expected.replace("Greets guests", "Greets people")
    );
}

/// A tool whose template uses macros of other templates.
const MACROS: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: greet
description: Greets people
parameters: {person: {type: string, description: The name}}
examples: [{person: Ada}]
implementation: |
  {% import 'shared/all.njk' as m %}{% from 'shared/all.njk' import shout, call as hail %}
  {{ m.shout(person) }} {{ shout(person, 2) }} {{ hail(person) }} {% include 'shared/end.njk' %}
";

/// A flow that calls the tool, and includes the same template.
const FLOW: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: all
description: Greets all
implementation:
  flow: {nodes: {one: {tool: greet, arguments: {person: \"{% include 'shared/end.njk' %}\"}}}}
";

#[test]
fn macros_tools_and_templates_of_other_files() {
    let project = project();
    project
        .file(
            "tools/shared/all.njk",
            "{% from './end.njk' import no %}\n{% macro shout(who, times=1) -%}{{ who }}{% endmacro %}{% macro call(who) %}{% endmacro %}",
        )
        .file("tools/shared/end.njk", "!{% import './all.njk' as all %}")
        .file("tools/all.yaml", FLOW)
        .file(".cogtoolrc.yaml", "filter: {tools: [greet, all]}\n");
    let ask = |method: &str, name: &str, text: &str, needle: &str| {
        let mut client = Client::new(&project);
        client.open(name, text);
        client.ask_at(method, name, text, needle, &json!({"newName": "x"}));
        client.last_result()
    };
    let asked = |method: &str, needle: &str| ask(method, "tools/greet.yaml", MACROS, needle);
    let labels = |text: &str, needle: &str| {
        let result = ask("completion", "tools/greet.yaml", text, needle);
        let items = result["items"].as_array().unwrap().iter();
        let label = |it: &Value| it["label"].as_str().unwrap().to_owned();
        items.map(label).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        labels(&MACROS.replace("m.shout(person)", "m."), "{{ m."),
        "shout call"
    );
    let open = MACROS.replace("import shout, call as hail %}", "import sh");
    assert_eq!(labels(&open, "import sh"), "shout call");
    let shout = "macro `shout(who, times=1)` of `shared/all.njk`";
    for (needle, expected) in [
        ("{{ m.sho", shout),
        ("{{ sho", shout),
        ("{{ ha", "macro `call(who)` of `shared/all.njk`"),
        ("{{ m", "macros of `shared/all.njk`"),
    ] {
        assert_eq!(
            asked("hover", needle)["contents"]["value"],
            expected,
            "{needle}"
        );
    }
    let places = |result: &Value| {
        let all = match result {
            Value::Array(all) => all.clone(),
            one => vec![one.clone()],
        };
        let place = |it: &Value| {
            let (uri, start) = (it["uri"].as_str().unwrap(), &it["range"]["start"]);
            let name = uri.rsplit('/').next().unwrap();
            format!("{name}:{}:{}", start["line"], start["character"])
        };
        all.iter().map(place).collect::<Vec<_>>()
    };
    for (needle, expected) in [
        ("{{ m.sho", "all.njk:1:9"),
        ("{{ ha", "all.njk:1:64"),
        ("call as ha", "all.njk:1:64"),
        ("{{ m", "all.njk:0:0"),
        ("'shared/e", "end.njk:0:0"),
    ] {
        assert_eq!(places(&asked("definition", needle)), [expected], "{needle}");
    }
    // A new name here would not be the one in the other file.
    assert_eq!(asked("rename", "{{ sho"), Value::Null);
    assert_ne!(asked("rename", "{{ ha"), Value::Null);
    let of_tool = ["greet.yaml:1:6", ".cogtoolrc.yaml:0:17", "all.yaml:4:29"];
    assert_eq!(places(&asked("references", "name: gr")), of_tool);
    assert_eq!(
        places(&asked("references", "'shared/e")),
        ["greet.yaml:7:78", "all.yaml:4:69", "all.njk:0:9"]
    );
    assert_eq!(
        places(&asked("references", "'shared/a")),
        ["greet.yaml:6:13", "greet.yaml:6:45", "end.njk:0:12"]
    );
    let of_flow = places(&ask("references", "tools/all.yaml", FLOW, "tool: gr"));
    assert_eq!(
        of_flow,
        ["all.yaml:4:29", ".cogtoolrc.yaml:0:17", "greet.yaml:1:6"]
    );
}

#[test]
fn completion_in_braces_and_brackets() {
    let inline = "loud: {type: boolean, description: Shout, default: false}";
    for (to, needle, expected) in [
        ("loud: {type: boolean, des}", "boolean, des", "description"),
        ("loud: {type: , nullable: true}", "loud: {type: ", "boolean"),
        (
            "loud: {description: 'a, {b: c', type: }",
            "c', type: ",
            "boolean",
        ),
        (
            "loud: {type: array, items: {type: }}",
            "items: {type: ",
            "boolean",
        ),
        (
            "loud: {type: string, enum: [a, b], def}",
            "[a, b], def",
            "default",
        ),
    ] {
        let found = offered(&with(inline, to), needle);
        assert!(found.contains(&expected.to_owned()), "{to}: {found:?}");
    }
    let of_example = offered(
        &with("[{name: Bob, mood: sad}]", "[{name: Bob}, {mood: }]"),
        "Bob}, {mood: ",
    );
    assert_eq!(of_example, ["glad", "sad"]);
    let text = offered(&with("Greet people", "Greet {people: "), "Greet {people: ");
    assert_eq!(text, Vec::<String>::new());
}

/// A flow whose nodes need each other in each way.
const NODES: &str = "$schema: schema:agladysh-research.org,2025/cogtools:tool
name: plan
description: Plans a day
parameters: {day: {type: string, description: The day}}
examples: [{day: Monday}]
implementation:
  flow:
    nodes:
      found: {text: '{{ day }}'}
      way: {router: [{when: found, to: first}, {to: last}]}
      first: {needs: [found?], text: '{{ found | upper }}'}
      last:
        js: |
          return args.found + '!';
        needs: ['found']
    output: '{{ found }} {{ first }}'
";

#[test]
fn nodes_of_a_flow() {
    let project = project();
    let ask = |method: &str, needle: &str| {
        let mut client = Client::new(&project);
        client.open("tools/plan.yaml", NODES);
        let more = json!({"newName": "x"});
        client.ask_at(method, "tools/plan.yaml", NODES, needle, &more);
        client.last_result()
    };
    let found = [
        [8, 6],
        [9, 28],
        [10, 22],
        [10, 41],
        [13, 22],
        [14, 17],
        [15, 16],
    ];
    for needle in [
        "  fou",
        "when: fou",
        "[fou",
        "{{ found | upper }}'}\n      last:\n        js: |\n          return args.fou",
        "['fou",
        "output: '{{ fou",
    ] {
        let result = ask("references", needle);
        let places = result.as_array().unwrap().iter().map(|it| {
            assert_eq!(text_at(NODES, &it["range"]), "found", "{needle}");
            let start = &it["range"]["start"];
            [
                start["line"].as_i64().unwrap(),
                start["character"].as_i64().unwrap(),
            ]
        });
        assert_eq!(places.collect::<Vec<_>>(), found, "{needle}");
        let definition = ask("definition", needle);
        assert_eq!(
            definition["range"]["start"],
            json!({"line": 8, "character": 6}),
            "{needle}"
        );
    }
    let first = ask("references", "to: fir");
    assert_eq!(first.as_array().unwrap().len(), 3, "{first}");
    assert_eq!(
        ask("hover", "to: fir")["contents"]["value"],
        "node `first`: text"
    );
}
