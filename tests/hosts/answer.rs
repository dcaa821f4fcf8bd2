//! The model's view of a successful call, whatever is next to the tool.

use cogtools_test_support::Turn;
use serde_json::json;

use super::host::{Host, assert_responses, output};
use super::{declaration, facepalm, on_every_version};

on_every_version!(facepalm_is_declared_and_rendered);

fn facepalm_is_declared_and_rendered(host: &Host) {
    host.project
        .file("tools/broken.yaml", "name: [broken\n")
        .file("tools/empty.yaml", "")
        .file("tools/stranger.yaml", "name: other\nfrobnicate: true\n");
    let name = host.version.declared("facepalm");
    let mut waiting = facepalm::arguments();
    waiting["wait_for_previous"] = json!(true);
    let (first, second) = ("Größe: ∞ 🤦", "{{ next }} `$(id)` \"quoted\"");
    let conversation = host.play([
        Turn::call(name.clone(), facepalm::arguments()),
        Turn::call(name.clone(), waiting),
        Turn::calls([
            (name.clone(), facepalm::arguments_with(first)),
            (name, facepalm::arguments_with(second)),
        ]),
    ]);
    assert_responses(
        &conversation,
        &[
            &[output(facepalm::RENDERED)],
            &[output(facepalm::RENDERED)],
            &[
                output(&facepalm::rendered_with(first)),
                output(&facepalm::rendered_with(second)),
            ],
        ],
    );
    declaration::assert_only_facepalm(host, &conversation);
}
