//! Templates next to a tool: reachable below its folder, and nowhere else.

use cogtools_test_support::{Outcome, Project, str};

use crate::run;

/// A tool whose template is `template`, in a project with some other files.
fn project(template: &str) -> Project {
    let project = Project::new();
    project
        .file(
            "tools/asks.yaml",
            format!("name: asks\ndescription: d\nparameters: {{who: string}}\nimplementation: {template}\n"),
        )
        .file("tools/parts/line.njk", "for {{ who }}\n")
        .file("tools/parts/frame.njk", "[{% block body %}{% endblock %}]\n")
        .file("tools/parts/near.njk", "{% include './line.njk' %}")
        .file("tools/parts/wrong.njk", "one\ntwo {{ who | nosuch }}\n")
        .file("tools/whole.njk", "{% extends 'parts/frame.njk' %}{% block body %}{{ who }}{% endblock %}")
        .file("secret.njk", "SECRET");
    project.link("tools/parts/out.njk", project.path("secret.njk"));
    project
}

fn call(project: &Project) -> Outcome {
    run("cogtools-call", project)
        .arg("asks")
        .stdin(r#"{"who": "Ada"}"#)
        .run()
}

#[test]
fn files_below_the_folder_are_reachable() {
    for (template, expected) in [
        (
            r#""{% include 'parts/line.njk' %}""#,
            str![[r#"
for Ada

"#]],
        ),
        (
            r#""{% include 'parts/near.njk' %}""#,
            str![[r#"
for Ada

"#]],
        ),
        (
            "{njk_file: whole.njk}",
            str![[r#"
[Ada]

"#]],
        ),
        (
            "{njk_file: ./parts/line.njk}",
            str![[r#"
for Ada

"#]],
        ),
    ] {
        call(&project(template)).outputs(expected);
    }
}

#[test]
fn nothing_else_is() {
    let fails = |template: &str, cause: &str| {
        let outcome = call(&project(template));
        outcome.status(70).stdout_is("");
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let first = stderr.lines().next().unwrap_or_default();
        let start = "cogtools-call: error[TEMPLATE_FAILED]: tools/asks.yaml:4:";
        assert!(
            first.starts_with(start) && first.ends_with(cause),
            "{stderr}"
        );
    };
    fails(
        r#""{% include '../secret.njk' %}""#,
        ": template `../secret.njk` not found",
    );
    fails(
        r#""{% include 'parts/none.njk' %}""#,
        ": template `parts/none.njk` not found",
    );
    let out = "`parts/out.njk` is outside the tool's folder";
    fails(r#""{% include 'parts/out.njk' %}""#, out);
    call(&project("{njk_file: ../secret.njk}")).fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/asks.yaml:4:28: `../secret.njk` is outside the tool's folder
   |
 4 | implementation: {njk_file: ../secret.njk}
   |                            ^^^^^^^^^^^^^
hint: use a file in the tool's folder, or below it

"#]],
    );
    call(&project("{njk_file: parts/out.njk}")).fails(
        78,
        str![[r#"
cogtools-call: error[INVALID_TOOL]: tools/asks.yaml: `parts/out.njk` is outside the tool's folder
hint: `njk_file` takes a file in the tool's folder, or below it

"#]],
    );
}

#[test]
fn diagnostics_point_into_the_failing_file() {
    call(&project(r#""{% include 'parts/wrong.njk' %}""#)).fails(
        70,
        str![[r#"
cogtools-call: error[TEMPLATE_FAILED]: tools/parts/wrong.njk:2:14: unknown filter `nosuch`
   |
 2 | two {{ who | nosuch }}
   |              ^^^^^^

"#]],
    );
}

/// A project with a tool that has these parameters and shares parts with others.
fn sharing(parameters: &str) -> Project {
    let project = Project::new();
    let tool = format!("name: go\ndescription: d\nparameters: {parameters}\nimplementation: x\n");
    project
        .file("tools/go.yaml", tool)
        .file(
            "tools/shared.yaml",
            "parameters:\n  city: {type: string, description: A city, pattern: '^A'}\n  \
             place:\n    properties:\n      city: {$ref: '#/parameters/city'}\n      \
             zone: {$ref: './more/zones.shared.yaml#/zone', optional: true}\n  days: integer\n\
             loop: {items: {$ref: './shared.yaml#/loop'}, type: array}\n",
        )
        .file(
            "tools/more/zones.shared.yaml",
            "zone: {enum: {from: ../zones.txt}}\n",
        )
        .file("tools/zones.txt", "north\n\n south\n")
        .file("secret.yaml", "city: {enum: [SECRET]}\n");
    project.link("tools/out.json", project.path("secret.yaml"));
    project.link("tools/more/out", project.root());
    project
}

/// The parameters as they are declared.
fn declared(project: &Project) -> serde_json::Value {
    let expanded = run("cogtools-expand", project).arg("go").run();
    let text = String::from_utf8_lossy(&expanded.status(0).stdout).into_owned();
    let tool: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    tool["parameters"].clone()
}

#[test]
fn a_mistake_in_a_part_names_the_file_of_the_part() {
    let project = sharing("{city: {$ref: ./t.shared.yaml#/parts/city}}");
    project.file(
        "tools/t.shared.yaml",
        "parts:\n  city: {type: int, minimum: '3'}\n",
    );
    run("cogtools-expand", &project).arg("go").run().fails(
        78,
        str![[r#"
cogtools-expand: error[INVALID_TOOL]: tools/go.yaml:3:27: `int` is not a type
   |
 3 | parameters: {city: {$ref: ./t.shared.yaml#/parts/city}}
   |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: write `integer`
hint: correct it in the part that begins at `t.shared.yaml:2:9`
cogtools-expand: error[INVALID_TOOL]: tools/go.yaml:3:27: `minimum` takes a number, not a string
   |
 3 | parameters: {city: {$ref: ./t.shared.yaml#/parts/city}}
   |                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: write a number such as `1`, without quotes
hint: correct it in the part that begins at `t.shared.yaml:2:9`

"#]],
    );
}

#[test]
fn a_list_is_no_part_and_a_link_to_parts_no_tool() {
    let project = sharing("{city: {$ref: ./t.shared.yaml#/cities}}");
    project.file("tools/t.shared.yaml", "cities: [Oslo, Rome]\n");
    run("cogtools-expand", &project).arg("go").run().fails(
        78,
        str![[r#"
cogtools-expand: error[INVALID_TOOL]: tools/go.yaml:3:27: `t.shared.yaml#/cities` is a list, which only `enum: {from: …}` takes
   |
 3 | parameters: {city: {$ref: ./t.shared.yaml#/cities}}
   |                           ^^^^^^^^^^^^^^^^^^^^^^^
hint: name a part as in `./shared.yaml#/parameters/city`, in the tool's folder
hint: correct it in the part that begins at `t.shared.yaml:1:9`

"#]],
    );
    let project = sharing("{city: string}");
    project.link("tools/linked.shared.yaml", project.path("secret.yaml"));
    run("cogtools-discover", &project)
        .arg("--strict")
        .run()
        .status(0)
        .stderr_is("");
}

#[test]
fn schemas_share_parts() {
    let project = sharing(
        "{from: {$ref: ./shared.yaml#/parameters/city}, to: {$ref: ./shared.yaml#/parameters/place, \
         description: Where to, optional: true}, days: {$ref: ./shared.yaml#/parameters/days, \
         minimum: 1}}",
    );
    let city = serde_json::json!({"type": "string", "description": "A city", "pattern": "^A"});
    let found = declared(&project);
    assert_eq!(found["properties"]["from"], city);
    assert_eq!(found["required"], serde_json::json!(["from", "days"]));
    let place = serde_json::json!({
        "type": "object", "description": "Where to", "required": ["city"],
        "properties": {"city": city, "zone": {"type": "string", "enum": ["north", "south"]}},
    });
    assert_eq!(found["properties"]["to"], place);
    let days = serde_json::json!({"type": "integer", "minimum": 1});
    assert_eq!(found["properties"]["days"], days);
    // Files with parts are no tools, and all that they say is pinned.
    run("cogtools-lock", &project).run().outputs(str![[r#"
created cogtools.lock: 1 tool of 1 source

"#]]);
    run("cogtools-discover", &project)
        .arg("--locked")
        .run()
        .json();
    project.file("tools/zones.txt", "north\nwest\n");
    let drifted = run("cogtools-discover", &project).arg("--locked").run();
    let stderr = String::from_utf8_lossy(&drifted.stderr).into_owned();
    assert!(
        stderr.contains("the parameter `to` has changed"),
        "{stderr}"
    );
}

#[test]
fn a_result_shares_parts_that_are_pinned() {
    let project = sharing("{}");
    project.file(
        "tools/go.yaml",
        "name: go\ndescription: d\noutput: {type: json, schema: {$ref: ./shared.yaml#/parameters/city}}\n\
         implementation: '\"A\"'\n",
    );
    let call = || run("cogtools-call", &project).arg("go").stdin("{}").run();
    call().outputs("\"A\"");
    run("cogtools-lock", &project).run().status(0);
    let text = project.read("tools/shared.yaml").replace("^A", "^B");
    project.file("tools/shared.yaml", text);
    call().status(1);
    let drifted = run("cogtools-discover", &project).arg("--locked").run();
    let stderr = String::from_utf8_lossy(&drifted.stderr).into_owned();
    assert!(
        stderr.contains("the implementation has changed"),
        "{stderr}"
    );
}

#[test]
fn parts_are_in_the_folder_of_the_tool() {
    for (target, message) in [
        (
            "../secret.yaml#/city",
            "`../secret.yaml#/city` is outside the tool's folder",
        ),
        (
            "./more/../../secret.yaml#/city",
            "is outside the tool's folder",
        ),
        (
            "./out.json#/city",
            "`out.json` is outside the tool's folder",
        ),
        (
            "./more/out/secret.yaml#/city",
            "is outside the tool's folder",
        ),
        ("./none.yaml#/city", "none.yaml"),
        (
            "./go.sh#/city",
            "`./go.sh#/city` is outside the tool's folder",
        ),
        (
            "./shared.yaml#/nothing",
            "`shared.yaml#/nothing` does not exist",
        ),
        ("./shared.yaml#/loop", "`shared.yaml#/loop` contains itself"),
        (
            "./go.yaml#/parameters/p",
            "`go.yaml#/parameters/p` contains itself",
        ),
        ("file:///etc/passwd", "$ref"),
    ] {
        let project = sharing(&format!("{{p: {{$ref: '{target}'}}}}"));
        let outcome = run("cogtools-expand", &project).arg("go").run();
        let stderr = String::from_utf8_lossy(&outcome.status(78).stderr).into_owned();
        assert!(stderr.contains(message), "{target}: {stderr}");
        assert!(!stderr.contains("SECRET"), "{stderr}");
    }
}

#[test]
fn a_file_without_values_is_one_error() {
    for (target, hint) in [
        (
            "./nope.txt",
            "hint: name a text in the tool's folder, with one value in each line",
        ),
        (
            "./nope.yaml#/cities",
            "hint: name a part as in `./shared.yaml#/parameters/city`, in the tool's folder",
        ),
    ] {
        let project = sharing(&format!("{{p: {{enum: {{from: '{target}'}}}}}}"));
        let outcome = run("cogtools-expand", &project).arg("go").run();
        let stderr = String::from_utf8_lossy(&outcome.status(78).stderr).into_owned();
        assert_eq!(stderr.matches("error[").count(), 1, "{stderr}");
        assert!(stderr.contains(hint), "{stderr}");
    }
}

#[test]
fn parts_do_not_multiply_without_end() {
    let project = sharing("{p: {$ref: './bomb.shared.yaml#/b0'}}");
    let bomb = (0..14).map(|n| {
        let next = format!("{{$ref: '#/b{}'}}", n + 1);
        let inner = ["a", "b", "c", "d"]
            .map(|name| format!("{name}: {next}"))
            .join(", ");
        format!("b{n}: {{properties: {{{inner}}}}}\n")
    });
    project.file(
        "tools/bomb.shared.yaml",
        bomb.collect::<String>() + "b14: string\n",
    );
    let outcome = run("cogtools-expand", &project).arg("go").run();
    let stderr = String::from_utf8_lossy(&outcome.status(78).stderr).into_owned();
    assert!(stderr.contains("makes the tool too large"), "{stderr}");
}

#[test]
fn data_that_looks_like_a_part_is_data() {
    let project = sharing("{p: {type: object, default: {$ref: ./out.json}}, $ref: string}");
    let found = declared(&project);
    let default = serde_json::json!({"$ref": "./out.json"});
    assert_eq!(found["properties"]["p"]["default"], default);
    assert_eq!(
        found["properties"]["$ref"],
        serde_json::json!({"type": "string"})
    );
}
