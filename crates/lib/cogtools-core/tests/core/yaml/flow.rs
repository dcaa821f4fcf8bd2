//! Flow collections are indented deeper than the block around them.

use cogtools_test_support::str;

use crate::support::check_lines;

#[test]
fn lines_of_a_flow_collection_are_indented() {
    for lines in [
        "annotations: {\n  destructive: true,\n  read_only: false\n}",
        "annotations: {\n destructive: true\n , read_only: false}",
        "annotations: {destructive: true,\n\n  # comment\n  read_only: false}",
        "parameters:\n  a: {enum: [\n    x, y\n  ]}",
        "parameters:\n  a: {enum: [x,\n   y]}",
    ] {
        check_lines(lines, "ok");
    }
    check_lines(
        "annotations: {destructive: true,\nread_only: false}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:2:1: a line of a `[…]` or `{…}` must be indented deeper than the block around it
   |
 2 | read_only: false}
   | ^^^^^^^^^
hint: indent it by 1 space or more

"#]],
    );
    check_lines(
        "parameters:\n  a: {enum: [x,\n  y]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:3: a line of a `[…]` or `{…}` must be indented deeper than the block around it
   |
 3 |   y]}
   |   ^
hint: indent it by 3 spaces or more

"#]],
    );
    check_lines(
        "parameters:\n  a: {enum: [\n    x,\n  y\n  ]}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:3: a line of a `[…]` or `{…}` must be indented deeper than the block around it
   |
 4 |   y
   |   ^
hint: indent it by 3 spaces or more

"#]],
    );
    check_lines(
        "parameters:\n  a:\n    enum: [{\nx: 1}]",
        str![[r#"
error[INVALID_TOOL]: x.yaml:4:1: a line of a `[…]` or `{…}` must be indented deeper than the block around it
   |
 4 | x: 1}]
   | ^
hint: indent it by 5 spaces or more

"#]],
    );
    check_lines(
        "examples:\n- {arguments:\n{}}",
        str![[r#"
error[INVALID_TOOL]: x.yaml:3:1: a line of a `[…]` or `{…}` must be indented deeper than the block around it
   |
 3 | {}}
   | ^
hint: indent it by 1 space or more

"#]],
    );
}
