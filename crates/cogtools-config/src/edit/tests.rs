//! Layouts that people write, and what is left of them after an edit.

use cogtools_core::text::Text;
use cogtools_core::yaml::{self, Node};
use serde_json::Value;

use super::{set, unset};

fn tree(text: &str) -> Node {
    let text = Text::new("FILE", text.into()).expect("UTF-8");
    yaml::parse(&text).unwrap_or_else(|error| panic!("{error:?}: {text:?}"))
}

fn changed(before: &str, key: &str, value: &str) -> Option<String> {
    let way: Vec<&str> = key.split('.').collect();
    set(before, &tree(before), &way, &tree(value).to_json()).ok()
}

fn taken(before: &str, key: &str) -> Option<String> {
    let way: Vec<&str> = key.split('.').collect();
    unset(before, &tree(before), &way).expect("it is set").ok()
}

#[track_caller]
fn sets(before: &str, key: &str, value: &str, after: &str) {
    assert_eq!(changed(before, key, value).as_deref(), Some(after));
}

#[track_caller]
fn unsets(before: &str, key: &str, after: &str) {
    assert_eq!(taken(before, key).as_deref(), Some(after));
}

/// Keys and values that are set one by one in every layout.
const CHANGES: [(&str, &str); 7] = [
    ("tool_sources", "[node_modules, {local: ../x y}]"),
    ("env_priority", "process"),
    ("filter.tools", "['*', 'a: b', '#', '', a_*]"),
    ("filter.toolsets", "[]"),
    ("hosts.gemini.exclude", "[deploy_*]"),
    ("hosts.mcp.tools", "[a]"),
    ("lint.rules.'x", "off"),
];

/// Texts with everything that an editor of texts falls over.
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

/// The layouts, and every two of them that make one document.
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
fn what_is_set_and_unset_leaves_no_trace() {
    let mut made = 0;
    for before in layouts() {
        let before = before.as_str();
        for (key, value) in CHANGES {
            let way: Vec<&str> = key.split('.').collect();
            if unset(before, &tree(before), &way).is_some() {
                continue;
            }
            let Some(with) = changed(before, key, value) else {
                continue;
            };
            made += 1;
            let found = value_at(&with, &way);
            assert_eq!(
                found,
                tree(value).to_json(),
                "{key} in {before:?}: {with:?}"
            );
            assert_eq!(
                taken(&with, key).as_deref(),
                Some(before),
                "{key}: {with:?}"
            );
        }
    }
    // A refusal is no failure, but the layouts above are not so bad.
    assert_eq!(made, 2_013);
}

#[test]
fn what_is_replaced_keeps_every_comment() {
    for before in layouts() {
        let before = before.as_str();
        for (key, value) in CHANGES {
            let way: Vec<&str> = key.split('.').collect();
            if unset(before, &tree(before), &way).is_none() {
                continue;
            }
            let Some(after) = changed(before, key, value) else {
                continue;
            };
            assert_eq!(value_at(&after, &way), tree(value).to_json(), "{after:?}");
            for comment in before.lines().filter(|line| line.trim().starts_with('#')) {
                assert!(after.contains(comment), "{comment} in {after:?}");
            }
            // The same again changes nothing.
            assert_eq!(changed(&after, key, value), Some(after));
        }
    }
}

fn value_at(text: &str, way: &[&str]) -> Value {
    let mut value = tree(text).to_json();
    for key in way {
        value = value[key].take();
    }
    value
}

#[test]
fn a_key_more() {
    sets("", "env_priority", "process", "env_priority: process\n");
    sets(
        "# c",
        "env_priority",
        "process",
        "# c\nenv_priority: process",
    );
    sets(
        "filter:\n    tools: [a] # one\n    # end of it\n\n# hosts\n",
        "hosts.gemini.exclude",
        "['*x', \"a b\"]",
        "filter:\n    tools: [a] # one\nhosts:\n    gemini:\n        exclude: [\"*x\", \"a b\"]\n    # end of it\n\n# hosts\n",
    );
    sets(
        "filter:\r\n  tools: [a]\r\nenv_priority: project\r\n",
        "filter.exclude",
        "[b]",
        "filter:\r\n  tools: [a]\r\n  exclude: [b]\r\nenv_priority: project\r\n",
    );
    sets(
        "filter: # nothing yet\nenv_priority: project\n",
        "filter.tools",
        "[b]",
        "filter: # nothing yet\n  tools: [b]\nenv_priority: project\n",
    );
    sets(
        "filter: { tools: [a] }\n",
        "filter.exclude",
        "[b]",
        "filter: { tools: [a], exclude: [b] }\n",
    );
    sets(
        "filter: {}\n",
        "filter.exclude",
        "[b]",
        "filter: {exclude: [b]}\n",
    );
}

#[test]
fn another_value() {
    sets(
        "env_priority:   'project'  # why\n",
        "env_priority",
        "process",
        "env_priority:   process  # why\n",
    );
    sets(
        "env_priority:\n",
        "env_priority",
        "process",
        "env_priority: process\n",
    );
    sets(
        "tool_sources:\n  # ours\n  - local: ./tools # first\n  # theirs\n  - node_modules\n",
        "tool_sources",
        "[{local: ./tools}, {local: ../more}, node_modules]",
        "tool_sources:\n  # ours\n  - local: ./tools # first\n  - local: ../more\n  # theirs\n  - node_modules\n",
    );
    sets(
        "tool_sources:\n- local: ./tools\n- node_modules",
        "tool_sources",
        "[node_modules]",
        "tool_sources:\n- node_modules",
    );
    sets(
        "tool_sources:\n- node_modules\nenv_priority: project\n",
        "tool_sources",
        "[]",
        "tool_sources: []\nenv_priority: project\n",
    );
    sets(
        "filter: {tools: [a, b]}\n",
        "filter.tools",
        "[c]",
        "filter: {tools: [c]}\n",
    );
}

#[test]
fn a_key_less() {
    unsets(
        "# c\nenv_priority: project # d\n# e\n",
        "env_priority",
        "# c\n# e\n",
    );
    unsets("env_priority: project", "env_priority", "");
    unsets(
        "hosts:\n  gemini:\n    exclude: [a]\nfilter:\n  tools: [b]\n",
        "hosts.gemini.exclude",
        "filter:\n  tools: [b]\n",
    );
    unsets(
        "filter:\n  # why\n  tools: [b]\n",
        "filter.tools",
        "filter:\n  # why\n",
    );
    unsets(
        "filter: # why\n  tools: [b]\n",
        "filter.tools",
        "filter: # why\n",
    );
    unsets(
        "{filter: {tools: [a], exclude: [b]}, env_priority: project}",
        "filter.tools",
        "{filter: {exclude: [b]}, env_priority: project}",
    );
    unsets("{env_priority: project}\n", "env_priority", "{}\n");
    unsets(
        "{\"env_priority\": \"project\", \"filter\": {}}",
        "env_priority",
        "{\"filter\": {}}",
    );
}

#[test]
fn what_would_harm_is_refused() {
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
        assert_eq!(changed(before, key, value), None, "{key} in {before:?}");
    }
}
