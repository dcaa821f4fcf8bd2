//! Flows of other programs, as tool files.

use super::*;

const DAG: &str = "\
inputs:
  question: {type: string, default: What is it?}
  count: {type: int}
outputs:
  answer: {type: string, reference: '${answer.output}'}
nodes:
- name: find-docs
  type: python
  source: {type: code, path: find.py}
  inputs: {query: '${inputs.question}', top: 3}
- name: context
  type: prompt
  source: {type: code, path: context.jinja2}
  inputs: {docs: '${find-docs.output}', limit: '${inputs.count}'}
- name: answer
  type: llm
  source: {type: code, path: answer.jinja2}
  inputs: {deployment_name: gemini-flash-latest, temperature: 0, text: '${context.output}', q: '${inputs.question}'}
  activate: {when: '${inputs.question}', is: What is it?}
";

/// A project beside a flow of promptflow.
fn promptflow() -> Project {
    let project = Project::new();
    project
        .file("theirs/flow.dag.yaml", DAG)
        .file("theirs/context.jinja2", "{% for doc in docs %}- {{ doc }}\n{% endfor %}at most {{ limit }}")
        .file("theirs/answer.jinja2", "# system:\nYou answer.\n\n# user:\n{{ q }}\n{{ text }}\n")
        .file(
            "tools/find_docs.yaml",
            "name: find_docs\ndescription: d\nparameters: {query: string, top: integer}\noutput: {type: json}\nimplementation: '[\"{{ query }}\", {{ top }}]'\n",
        );
    project
}

fn import(project: &Project) -> Outcome {
    let words = ["import", "theirs/flow.dag.yaml", "--name", "theirs"];
    flow_run(project, &words).run()
}

#[test]
fn a_flow_of_promptflow_becomes_a_tool() {
    import(&promptflow()).outputs(str![[r##"
# find-docs: write the tool `find_docs` for this python node
$schema: schema:agladysh-research.org,2025/cogtools:tool
name: theirs
description: 'TODO: what this flow does'
parameters:
  question:
    type: string
    description: TODO
    default: What is it?
  count:
    type: integer
    description: TODO
implementation:
  flow:
    nodes:
      find_docs:
        tool:
          name: find_docs
          arguments:
            query: '{{ question }}'
            top: 3
      context:
        text: |-
          {% set docs = find_docs %}{% set limit = count %}{% for doc in docs %}- {{ doc }}
          {% endfor %}at most {{ limit }}
      answer:
        agent:
          model: gemini-flash-latest
          temperature: 0
          system: '{% set q = question %}{% set text = context %}You answer.'
          prompt: |-
            {% set q = question %}{% set text = context %}{{ q }}
            {{ text }}
        when: question == "What is it?"
    output: '{{ answer }}'

"##]]);
}

#[test]
fn an_imported_flow_runs() {
    let project = promptflow();
    project.file("tools/theirs.yaml", import(&project).text());
    flow_run(&project, &["show", "theirs"])
        .run()
        .outputs(str![[r#"
find_docs: tool find_docs
└── context: text
    └── answer: agent

"#]]);
    flow_run(
        &project,
        &["node", "theirs", "context", "--inputs", "inputs.json"],
    )
    .run()
    .status(74);
    project.file(
        "inputs.json",
        r#"{"find_docs": ["a", "b"], "count": 2, "question": "q"}"#,
    );
    flow_run(
        &project,
        &["node", "theirs", "context", "--inputs", "inputs.json"],
    )
    .run()
    .outputs("\"- a\\n- b\\nat most 2\"\n");
}

#[test]
fn a_canvas_becomes_a_tool() {
    let project = Project::new();
    let canvas = json!({
        "nodes": [
            {"id": "Agent-1", "type": "agent", "position": {"x": 1, "y": 2}, "data": {
                "rules": {"nl": "find 30 minutes free on my calendar"}, "systemPrompt": "unused",
            }},
            {"id": "tool-1", "type": "tool", "data": {"simulation": {
                "providerId": "calendar", "operation": "list_events", "preset": {"events": []},
            }}},
            {"id": "note", "type": "message", "data": {}},
        ],
        "connections": [
            {"source": "Agent-1", "target": "tool-1"}, {"source": "tool-1", "target": "note"},
        ],
    });
    project.file("canvas.json", canvas.to_string());
    let outcome = flow_run(&project, &["import", "canvas.json"]).run();
    outcome.outputs(str![[r#"
# note: a node of the type `message` became text
$schema: schema:agladysh-research.org,2025/cogtools:tool
name: imported
description: 'TODO: what this flow does'
parameters:
  input:
    type: string
    description: What the user wants
implementation:
  flow:
    nodes:
      agent_1:
        agent:
          rules: find 30 minutes free on my calendar
          prompt: '{{ input }}'
      tool_1:
        tool:
          capability: calendar.list_events
          preset:
            events: []
        needs:
        - agent_1
      note:
        text: '{{ tool_1 }}'
        needs:
        - tool_1

"#]]);
    project.file("tools/imported.yaml", outcome.text());
    flow_run(&project, &["show", "imported"]).run().status(0);
    project.file("other.json", "[1]");
    flow_run(&project, &["import", "other.json"]).run().fails(
        65,
        str![[r#"
cogtools-flow: error[INVALID_ARGUMENTS_SYNTAX]: other.json: a flow of promptflow has `nodes`, a list

"#]],
    );
}

#[test]
fn only_files_below_the_flow_are_read() {
    let project = promptflow();
    project
        .file("secret", "the key")
        .link("theirs/link", project.path("secret"));
    let secret = project.path("secret").display().to_string();
    for path in ["../secret", "link", secret.as_str()] {
        let dag = DAG.replace("context.jinja2", path);
        project.file("theirs/flow.dag.yaml", dag);
        let outcome = import(&project);
        outcome.stdout_contains("# context: write the tool `context` for this prompt node");
        assert!(!outcome.text().contains("the key"), "{path}");
    }
}
