//! Personal data and secrets, which the session of a flow leaves out.

use super::*;

const NODES: &str = "\
    nodes:
      contact: {text: 'Ann, ann@example.org, +49 30 1234567'}
      found: {tool: {name: search, arguments: {query: '{{ contact }} {{ question }}'}}}
      confirm: {needs: [found], ask: 'Write to {{ contact }}?'}
      last: {text: '{{ found }}: {{ confirm }}'}
";

#[test]
fn personal_data_is_masked_in_the_log_and_not_lost() {
    let project = project_with(NODES);
    let words = [
        "run",
        "f",
        "question=DE89370400440532013000",
        "--session",
        "s.jsonl",
    ];
    flow_run(&project, &words).run().fails(
        75,
        str![[r#"
cogtools-flow: error[ANSWER_WANTED]: confirm: Write to Ann, ann@example.org, +49 30 1234567?
hint: `cogtools flow resume s.jsonl --answer confirm=…` answers, and goes on

"#]],
    );
    let log = project.read("s.jsonl");
    for personal in ["example.org", "1234567", "DE89"] {
        assert!(!log.contains(personal), "{log}");
    }
    let trace = traced(&project, &["s.jsonl"]);
    assert_text(
        trace,
        str![[r#"
🧪 Runner: f {"question":"[masked: iban]"}
🧪 Runner: contact succeeded
  result: Ann, [masked: email], [masked: phone]
🧪 Runner: found succeeded
  🔍 Properties: {"query":"Ann, [masked: email], [masked: phone] [masked: iban]"}
  result: results for Ann, [masked: email], [masked: phone] [masked: iban]
🧪 Runner: confirm waits for an answer: Write to Ann, [masked: email], [masked: phone]?
🧪 Runner: last skipped: needs `confirm`

"#]],
    );
    // The run goes on with everything.
    flow_run(&project, &["resume", "s.jsonl", "--answer", "confirm=yes"])
        .run()
        .outputs(str![[r#"
results for Ann, ann@example.org, +49 30 1234567 DE89370400440532013000: yes

"#]]);
}

#[test]
fn no_run_goes_on_from_a_secret_that_is_masked() {
    let project = project_with(
        "\
    nodes:
      act: {tool: broken}
      confirm: {needs: [act], ask: 'Go on?'}
      last: {text: '{{ act }}'}
",
    );
    project.file("there", "a-secret-value");
    let flow_run = |words: &[&str]| flow_run(&project, words).env("MY_TOKEN", "a-secret-value");
    flow_run(&["run", "f", "--session", "s.jsonl"])
        .run()
        .status(75);
    assert!(!project.read("s.jsonl").contains("a-secret-value"));
    let resume = ["resume", "s.jsonl", "--answer", "confirm=yes"];
    flow_run(&resume).run().fails(
        1,
        str![[r#"
cogtools-flow: error[NODE_FAILED]: act: its result has a secret, which is masked, and it may have had an effect
hint: find out whether it had
hint: `cogtools flow resume s.jsonl --repeat act` runs it again
hint: `cogtools flow resume s.jsonl --result act=JSON` goes on with a result

"#]],
    );
    flow_run(&resume)
        .args(["--repeat", "act"])
        .run()
        .outputs("a-secret-value\n");
}

#[test]
fn only_nodes_that_there_are_can_be_repeated() {
    let project = project_with("    nodes: {act: {tool: broken}}\n");
    flow_run(&project, &["run", "f", "--session", "s.jsonl"])
        .run()
        .status(1);
    flow_run(&project, &["resume", "s.jsonl", "--repeat", "acts"])
        .run()
        .fails(
            2,
            str![[r#"
cogtools-flow: error[USAGE]: acts: the flow has no such node
hint: did you mean `act`?

"#]],
        );
}
