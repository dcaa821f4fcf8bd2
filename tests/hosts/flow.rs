//! A flow in a host: declared like any tool, and run by one call.

use serde_json::{Value, json};

use super::host::{Host, assert_responses, output};
use super::on_every_version;

const FLOW: &str = "\
name: find_time
description: Finds free time
parameters: {day: {type: string}}
implementation:
  flow:
    nodes:
      events: {tool: {capability: calendar.list_events, arguments: {day: '{{ day }}'}}}
      answer: {text: 'Free on {{ day }} but for {{ events }}'}
";
const CALENDAR: &str = "\
name: calendar
description: Lists events
capabilities: [calendar.list_events]
parameters: {day: {type: string}}
implementation: '9 to 10'
";

on_every_version!(a_flow_is_declared_and_runs);

fn a_flow_is_declared_and_runs(host: &Host) {
    host.project
        .file("tools/find_time.yaml", FLOW)
        .file("tools/calendar.yaml", CALENDAR);
    let call = host.call("find_time", json!({"day": "Monday"}));
    let conversation = host.play([call]);
    let request = conversation.main()[0];
    let declared = request.declaration(&host.version.declared("find_time"));
    let schema = [&declared["parametersJsonSchema"], &declared["parameters"]];
    let mut properties = schema
        .iter()
        .map(|schema| &schema["properties"]["day"]["type"]);
    let is_text = |kind: &Value| {
        kind.as_str()
            .is_some_and(|it| it.eq_ignore_ascii_case("string"))
    };
    assert!(properties.any(is_text), "{declared}");
    assert_responses(
        &conversation,
        &[&[output("Free on Monday but for 9 to 10")]],
    );
}
