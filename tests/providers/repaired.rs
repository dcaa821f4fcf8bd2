//! Declarations that are repaired, and what says so.

use cogtools_test_support::str;

use super::{Scene, declaring};

const TOOLS: &str = r#"[
  {"name": "whole", "description": "d", "inputSchema": {"type": "object"}},
  {"name": "odd", "inputSchema": {"properties": {"a": true, "b": {"type": "array"}}, "x-order": 1}}
]"#;

#[test]
fn a_list_names_what_was_repaired() {
    let scene = Scene::new(&declaring(TOOLS), "");
    scene.run("cogtools-list").run().outputs(str![[r#"
NAME   TOOLSET  SOURCE  FILE           TOKENS  NOTES
odd    other    other   other: odd         39  repaired: added description, items, type; translated boolean schemas; left out x-order
whole  other    other   other: whole       20
ok              tools   tools/ok.yaml      24

3 tools, about 83 tokens with every request

"#]]);
    let json = scene.run("cogtools-list").arg("--json").run().json();
    assert_eq!(json["tools"][0]["name"], "odd");
    assert_eq!(
        json["tools"][0]["repaired"],
        "added description, items, type; translated boolean schemas; left out x-order"
    );
    assert_eq!(json["tools"][1].get("repaired"), None);
}
