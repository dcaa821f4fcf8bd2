//! The questions of `cogtools config` alone at a terminal: one change, its preview, and the
//! command line with the same result.

use cogtools_core::Setting;
use cogtools_edit::ConfigChange;
use cogtools_edit::yaml::render;
use cogtools_program::call::quote;
use cogtools_program::project::{config, project};
use cogtools_program::questions::Prompt;
use cogtools_program::terminal::sanitize;
use cogtools_program::{Failure, Io};

use crate::config::change;
use crate::config::command::Layer;
use crate::config::key::Key;
use crate::config::show::location;

/// Asks for a change, shows it, and makes it.
pub(crate) fn run(prompt: &Prompt, io: &mut Io<'_>) -> Result<(), Failure> {
    let settings = config(&project(io), io)?.settings;
    let keys = Key::all();
    let options: Vec<String> = keys.iter().map(|key| option(key, &settings)).collect();
    let index = prompt.select("Which key?", &options)?;
    let key = &keys[index];
    let name = key.name();
    let layers = [Layer::Project, Layer::Home];
    let files = [
        "this project, for all its users: .cogtoolrc.yaml".to_owned(),
        "me, in all projects: ~/.gemini/cogtoolrc.yaml".to_owned(),
    ];
    let layer = if key.is_users_only() {
        Layer::Home
    } else {
        layers[prompt.select("For whom?", &files)?]
    };
    let found = settings.iter().find(|setting| setting.key == name);
    let before = found.map_or_else(String::new, |setting| render(&setting.value));
    let help = "in YAML, as in the file; empty to remove the key from it";
    let value = prompt.text(&name, &before, help)?;
    let flag = match layer {
        Layer::Home => "--home ",
        Layer::Project => "",
    };
    let (change, line) = if value.trim().is_empty() {
        let change = change::plan_unset(key, layer, io)?;
        (change, format!("cogtools config unset {flag}{name}"))
    } else {
        let line = format!("cogtools config set {flag}{name} {}", quote(&value));
        (change::plan_set(key, value, layer, io)?, line)
    };
    if !confirm(&change, prompt, io)? {
        return io.print(b"nothing was written\n");
    }
    change::write(change)?;
    io.show(&format!("the same without questions:\n    {line}\n"))
}

/// A key with its value and where it is set.
fn option(key: &Key, settings: &[Setting]) -> String {
    let name = key.name();
    let found = settings.iter().find(|setting| setting.key == name);
    found.map_or_else(
        || name.clone(),
        |setting| {
            let value = render(&setting.value);
            format!("{name}: {value} ({})", location(setting))
        },
    )
}

fn confirm(change: &ConfigChange, prompt: &Prompt, io: &mut Io<'_>) -> Result<bool, Failure> {
    io.show(&change.preview())?;
    prompt.confirm(&format!("Write {}?", sanitize(&change.file())))
}
