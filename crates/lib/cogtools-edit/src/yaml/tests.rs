//! Edits of texts in the layouts that people write.

use cogtools_core::text::Text;
use cogtools_core::yaml::{self, Node};
use serde_json::Value;

use super::{append, set, unset};

fn parse(text: &str) -> Node {
    let text = Text::new("FILE", text.into()).expect("UTF-8");
    yaml::parse(&text).unwrap_or_else(|error| panic!("{error:?}: {text:?}"))
}

fn try_set(before: &str, key: &str, value: &str) -> Option<String> {
    let path: Vec<&str> = key.split('.').collect();
    set(before, &parse(before), &path, &parse(value).to_json()).ok()
}

fn try_unset(before: &str, key: &str) -> Option<String> {
    let path: Vec<&str> = key.split('.').collect();
    unset(before, &parse(before), &path)
        .expect("it is set")
        .ok()
}

#[track_caller]
fn check_set(before: &str, key: &str, value: &str, after: &str) {
    assert_eq!(try_set(before, key, value).as_deref(), Some(after));
}

#[track_caller]
fn check_unset(before: &str, key: &str, after: &str) {
    assert_eq!(try_unset(before, key).as_deref(), Some(after));
}

/// The keys and values to set in every layout, one at a time.
const CHANGES: [(&str, &str); 7] = [
    ("tool_sources", "[node_modules, {local: ../x y}]"),
    ("env_priority", "process"),
    ("filter.tools", "['*', 'a: b', '#', '', a_*]"),
    ("filter.toolsets", "[]"),
    ("hosts.gemini.exclude", "[deploy_*]"),
    ("hosts.mcp.tools", "[a]"),
    ("lint.rules.'x", "off"),
];

/// Texts with everything that makes editing difficult.
const LAYOUTS: [&str; 24] = [
    "",
    "\n\n",
    "# only a comment",
    "# only a comment\r\n",
    "---\n# begun\n",
    "---\nenv_priority: project\n",
    "env_priority: project",
    "env_priority: project\r\n# end\r\n",
    "env_priority: project # why\n\n\n# end\n",
    "'env_priority': \"project\"\n",
    "tool_sources:\n- local: ./tools\n- node_modules # all\n",
    "tool_sources:\n  # ours\n  - local: ./tools\n\n  # theirs\n  - node_modules\n# end",
    "tool_sources: [ {local: ./tools}, # ours\n   node_modules ]\n",
    "filter:\n    tools: [a,\n            b]   # two\n    # exclude: [c]\n\nenv_priority: project\n",
    "filter: {tools: [a]}\n",
    "filter: {tools: [a],} # flow\n",
    "{filter: {tools: [a]}, env_priority: project}\n",
    "{\n  \"filter\": {\n    \"tools\": [\"a\"]\n  }\n}\n",
    "{\n\t\"env_priority\": \"project\" # json\n}",
    "hosts:\n   gemini:\n      exclude:\n         - a\n         - \"b # c\"\n   openai: {tools: [x]}\n",
    "lint:\n  rules:\n    no-examples: off # é ü 漢字\n    other: >-\n      warn\n",
    "hosts:\n  gemini: &it\n    exclude: [a]\n  openai: *it\n",
    "? env_priority\n: project\n",
    "lint: {rules: {no-examples: 'off'}}   \nfilter:\n  exclude: # none yet\n    - a\n...\n",
];

/// The layouts, and each pair of them that is a valid document.
fn layouts() -> Vec<String> {
    let pairs = LAYOUTS.iter().flat_map(|one| {
        let ended = one.is_empty() || one.ends_with('\n');
        let end = if ended { "" } else { "\n" };
        LAYOUTS.map(|other| format!("{one}{end}{other}"))
    });
    let parses = |text: &String| {
        let text = Text::new("FILE", text.clone().into_bytes()).expect("UTF-8");
        yaml::parse(&text).is_ok()
    };
    let all = LAYOUTS.map(str::to_owned).into_iter().chain(pairs);
    all.filter(parses).collect()
}

#[test]
fn unset_after_set_restores_the_text() {
    let mut edits = 0;
    for before in layouts() {
        let before = before.as_str();
        for (key, value) in CHANGES {
            let path: Vec<&str> = key.split('.').collect();
            if unset(before, &parse(before), &path).is_some() {
                continue;
            }
            let Some(edited) = try_set(before, key, value) else {
                continue;
            };
            edits += 1;
            let found = value_at(&edited, &path);
            assert_eq!(
                found,
                parse(value).to_json(),
                "{key} in {before:?}: {edited:?}"
            );
            assert_eq!(
                try_unset(&edited, key).as_deref(),
                Some(before),
                "{key}: {edited:?}"
            );
        }
    }
    // An edit may be rejected, but most of these must succeed.
    assert_eq!(edits, 2_013);
}

#[test]
fn replacing_a_value_preserves_comments() {
    for before in layouts() {
        let before = before.as_str();
        for (key, value) in CHANGES {
            let path: Vec<&str> = key.split('.').collect();
            if unset(before, &parse(before), &path).is_none() {
                continue;
            }
            let Some(after) = try_set(before, key, value) else {
                continue;
            };
            assert_eq!(value_at(&after, &path), parse(value).to_json(), "{after:?}");
            for comment in before.lines().filter(|line| line.trim().starts_with('#')) {
                assert!(after.contains(comment), "{comment} in {after:?}");
            }
            // Setting the same value again changes nothing.
            assert_eq!(try_set(&after, key, value), Some(after));
        }
    }
}

fn value_at(text: &str, path: &[&str]) -> Value {
    let mut value = parse(text).to_json();
    for key in path {
        value = value[key].take();
    }
    value
}

#[test]
fn a_key_is_inserted() {
    check_set("", "env_priority", "process", "env_priority: process\n");
    check_set(
        "# c",
        "env_priority",
        "process",
        "# c\nenv_priority: process",
    );
    check_set(
        "filter:\n    tools: [a] # one\n    # end of it\n\n# hosts\n",
        "hosts.gemini.exclude",
        "['*x', \"a b\"]",
        "filter:\n    tools: [a] # one\nhosts:\n    gemini:\n        exclude: [\"*x\", \"a b\"]\n    # end of it\n\n# hosts\n",
    );
    check_set(
        "filter:\r\n  tools: [a]\r\nenv_priority: project\r\n",
        "filter.exclude",
        "[b]",
        "filter:\r\n  tools: [a]\r\n  exclude: [b]\r\nenv_priority: project\r\n",
    );
    check_set(
        "filter: # nothing yet\nenv_priority: project\n",
        "filter.tools",
        "[b]",
        "filter: # nothing yet\n  tools: [b]\nenv_priority: project\n",
    );
    check_set(
        "filter: { tools: [a] }\n",
        "filter.exclude",
        "[b]",
        "filter: { tools: [a], exclude: [b] }\n",
    );
    check_set(
        "filter: {}\n",
        "filter.exclude",
        "[b]",
        "filter: {exclude: [b]}\n",
    );
}

#[test]
fn a_value_is_replaced() {
    check_set(
        "env_priority:   'project'  # why\n",
        "env_priority",
        "process",
        "env_priority:   process  # why\n",
    );
    check_set(
        "env_priority:\n",
        "env_priority",
        "process",
        "env_priority: process\n",
    );
    check_set(
        "tool_sources:\n  # ours\n  - local: ./tools # first\n  # theirs\n  - node_modules\n",
        "tool_sources",
        "[{local: ./tools}, {local: ../more}, node_modules]",
        "tool_sources:\n  # ours\n  - local: ./tools # first\n  - local: ../more\n  # theirs\n  - node_modules\n",
    );
    check_set(
        "tool_sources:\n- local: ./tools\n- node_modules",
        "tool_sources",
        "[node_modules]",
        "tool_sources:\n- node_modules",
    );
    check_set(
        "tool_sources:\n- node_modules\nenv_priority: project\n",
        "tool_sources",
        "[]",
        "tool_sources: []\nenv_priority: project\n",
    );
    check_set(
        "filter: {tools: [a, b]}\n",
        "filter.tools",
        "[c]",
        "filter: {tools: [c]}\n",
    );
}

#[test]
fn a_key_is_removed() {
    check_unset(
        "# c\nenv_priority: project # d\n# e\n",
        "env_priority",
        "# c\n# e\n",
    );
    check_unset("env_priority: project", "env_priority", "");
    check_unset(
        "hosts:\n  gemini:\n    exclude: [a]\nfilter:\n  tools: [b]\n",
        "hosts.gemini.exclude",
        "filter:\n  tools: [b]\n",
    );
    check_unset(
        "filter:\n  # why\n  tools: [b]\n",
        "filter.tools",
        "filter:\n  # why\n",
    );
    check_unset(
        "filter: # why\n  tools: [b]\n",
        "filter.tools",
        "filter: # why\n",
    );
    check_unset(
        "{filter: {tools: [a], exclude: [b]}, env_priority: project}",
        "filter.tools",
        "{filter: {exclude: [b]}, env_priority: project}",
    );
    check_unset("{env_priority: project}\n", "env_priority", "{}\n");
    check_unset(
        "{\"env_priority\": \"project\", \"filter\": {}}",
        "env_priority",
        "{\"filter\": {}}",
    );
}

#[test]
fn edits_that_would_change_something_else_are_rejected() {
    for (before, key, value) in [
        // The alias would change with its anchor.
        (
            "hosts:\n  gemini: &it\n    exclude: [a]\n  openai: *it\n",
            "hosts.gemini.exclude",
            "[b]",
        ),
        (
            "hosts:\n  gemini: &it\n    exclude: [a]\n  openai: *it\n",
            "hosts.openai.tools",
            "[b]",
        ),
        // Comments would be lost.
        (
            "tool_sources: [ {local: ./tools}, # ours\n   node_modules ]\n",
            "tool_sources",
            "[]",
        ),
        (
            "tool_sources:\n  # ours\n  - node_modules\n",
            "tool_sources",
            "[]",
        ),
        // There is no map to put it into.
        ("- a\n", "env_priority", "process"),
        ("just text\n", "env_priority", "process"),
    ] {
        assert_eq!(try_set(before, key, value), None, "{key} in {before:?}");
    }
}

#[test]
fn items_that_stay_or_move_keep_their_lines() {
    let before = "list:\n# some\n- a # aa\n- b # bb\n- c: 1 # cc\n  d: 2\n- a # again\nend: 1\n";
    for (value, after) in [
        (
            "[{c: 1, d: 2}, a, b, a]",
            "# some\n- c: 1 # cc\n  d: 2\n- a # aa\n- b # bb\n- a # again\n",
        ),
        (
            "[x, b, {c: 1, d: 2}, y]",
            "# some\n- x\n- b # bb\n- c: 1 # cc\n  d: 2\n- y\n",
        ),
        ("[b, a]", "# some\n- b # bb\n- a # again\n"),
        (
            "[y, b, z, a, a]",
            "# some\n- y\n- b # bb\n- z\n- a # aa\n- a # again\n",
        ),
        ("[z]", "# some\n- z\n"),
    ] {
        check_set(before, "list", value, &format!("list:\n{after}end: 1\n"));
    }
    check_set(
        "list:\r\n- a # aa\r\n- b",
        "list",
        "[b, a]",
        "list:\r\n- b\r\n- a # aa\r\n",
    );
}

#[test]
fn a_quoted_number_sign_is_no_comment() {
    check_set("list: [a, \"b #c\"]\n", "list", "[a]", "list: [a]\n");
    check_set("list: {a: 'b #c'}\n", "list", "[a]", "list: [a]\n");
    for comment in ["['b' # c\n  ]\n", "[b # c\n  ]\n", "[\"b\", # c\n  d]\n"] {
        assert_eq!(
            try_set(&format!("list: {comment}"), "list", "[a]"),
            None,
            "{comment}"
        );
    }
}

#[test]
fn items_are_appended_and_every_other_byte_is_kept() {
    let item = (
        "a: |\n  x\n\n  y\nb: 1".to_owned(),
        parse("{a: \"x\\n\\ny\\n\", b: 1}").to_json(),
    );
    let add = |text: &str| append(text, &parse(text), "list", std::slice::from_ref(&item)).ok();
    for (before, after) in [
        (
            "list:\n  # one\n  -   a: |\n        z\n      b: 2 # two\n# end\nother: 1\n",
            "list:\n  # one\n  -   a: |\n        z\n      b: 2 # two\n  -   a: |\n        x\n\n        y\n      b: 1\n# end\nother: 1\n",
        ),
        (
            "list:\r\n- 1",
            "list:\r\n- 1\r\n- a: |\r\n    x\r\n\r\n    y\r\n  b: 1",
        ),
    ] {
        assert_eq!(add(before).as_deref(), Some(after));
    }
    for text in ["list: [1]\n", "list: []\n", "list: 1\n", "other: 1\n", ""] {
        assert_eq!(add(text), None, "{text}");
    }
}
