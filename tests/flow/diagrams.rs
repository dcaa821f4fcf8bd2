//! Diagrams of flows: as pictures, and in documents.

use super::*;

const NODES: &str = "\
    nodes:
      a: {text: '{{ question }}'}
      is_long: {router: [{when: a | length > 3, to: b}, {to: c}]}
      b: {needs: [a], ask: 'b?'}
      c: {tool: search}
      d: {needs: [b?, c?], agent: {rules: '{{ a }}'}}
";

#[test]
fn a_picture_has_all_nodes_and_needs() {
    let project = project_with(NODES);
    let svg = flow_run(&project, &["show", "f", "--svg"]).run().text();
    let found = |text: &str| svg.matches(text).count();
    assert_eq!((found("<rect"), found("marker-end=")), (5, 7), "{svg}");
    assert_eq!(found("class=\"optional\""), 3);
    for part in [
        "node router",
        "node agent",
        "node ask",
        "node tool",
        "node text",
    ] {
        assert_eq!(found(part), 1, "{part}: {svg}");
    }
    // Nothing from elsewhere, and nothing that runs.
    for part in ["<script", "href", "url(http", "@import"] {
        assert_eq!(found(part), 0, "{part}: {svg}");
    }
    // No node covers another one.
    let number = |rect: &str, name: &str| -> i64 {
        let value = rect
            .split_once(&format!(" {name}=\""))
            .expect("it has it")
            .1;
        value
            .split('"')
            .next()
            .and_then(|it| it.parse().ok())
            .expect("a number")
    };
    let rects: Vec<(i64, i64, i64)> = svg
        .lines()
        .filter(|line| line.starts_with("<rect"))
        .map(|rect| (number(rect, "x"), number(rect, "y"), number(rect, "width")))
        .collect();
    for (index, (x, y, width)) in rects.iter().enumerate() {
        for (other_x, other_y, other_width) in &rects[..index] {
            let is_apart = y != other_y || x + width < *other_x || other_x + other_width < *x;
            assert!(is_apart, "{svg}");
        }
    }
}

#[test]
fn documents_have_diagrams() {
    let project = project_with(NODES);
    let before =
        "# F\n\n<!-- cogtools:flow f (by `cogtools docs`) -->\n<!-- cogtools:end -->\n\nEnd\n";
    project.file("F.md", before);
    let docs = |args: &[&str]| run("cogtools-docs", &project).args(args).run();
    docs(&["--check", "F.md"]).status(1);
    docs(&["F.md"]).outputs("updated F.md\n");
    assert_text(
        project.read("F.md"),
        str![[r##"
# F

<!-- cogtools:flow f (by `cogtools docs`) -->

```mermaid
flowchart TD
    a["a: text"]
    is_long{"is_long: router"}
    b[/"b: ask"/]
    c["c: tool"]
    d(["d: agent"])
    a -.-> is_long
    a --> b
    is_long --> b
    is_long --> c
    b -.-> d
    c -.-> d
    a --> d
```

<!-- cogtools:end -->

End

"##]],
    );
    docs(&["--check", "F.md"]).outputs("unchanged F.md\n");
    project.file("F.md", before.replace("flow f", "flow g"));
    docs(&["F.md"]).fails(
        78,
        str![[r#"
cogtools-docs: error[INVALID_CONFIG]: F.md:3:1: the project has no flow `g`
   |
 3 | <!-- cogtools:flow g (by `cogtools docs`) -->
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: `cogtools list` shows the tools

"#]],
    );
}
