//! What the model gets when a call goes well.

use cogtools_testing::Turn;
use serde_json::json;

use super::host::{Host, responses};
use super::{facepalm, on_every_version};

on_every_version!(rendered_text_comes_back);

fn rendered_text_comes_back(host: &Host) {
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
    assert_eq!(
        responses(&conversation),
        [
            vec![json!({ "output": facepalm::RENDERED })],
            vec![json!({ "output": facepalm::RENDERED })],
            vec![
                json!({ "output": facepalm::rendered_with(first) }),
                json!({ "output": facepalm::rendered_with(second) }),
            ],
        ]
    );
}
