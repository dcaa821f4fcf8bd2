//! The precedence of settings files and the expansion of variables.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use cogtools_edit::host::settings::{Scope, Settings};
use cogtools_edit::host::{Paths, Vars};
use tempfile::TempDir;

struct Files {
    folder: TempDir,
    vars: Vars,
}

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path: std::path::PathBuf = name.split('/').collect();
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let at = |name: &str| OsString::from(folder.path().join(name));
        let system = folder.path().join("etc").join("settings.json");
        let vars = Vars::from([
            ("HOME".into(), at("home")),
            ("USERPROFILE".into(), at("home")),
            ("GEMINI_CLI_SYSTEM_SETTINGS_PATH".into(), system.into()),
            ("NAME".into(), "value".into()),
        ]);
        Self { folder, vars }
    }

    fn read(&self, root: &str) -> Settings {
        let paths = Paths::new(&self.folder.path().join(root), &self.vars);
        Settings::read(&paths, &self.vars)
    }
}

#[test]
fn precedence() {
    let files = Files::new(&[
        ("etc/system-defaults.json", r#"{"a": 1, "d": "defaults"}"#),
        ("home/.gemini/settings.json", r#"{"a": 2, "b": {"c": 2}}"#),
        ("project/.gemini/settings.json", "{\"a\": 3} // c"),
        ("etc/settings.json", r#"{"x": {"y": 4}}"#),
    ]);
    let check = |root: &str, key: &str, expected: Option<(&str, Scope)>| {
        let settings = files.read(root);
        let found = settings.get(key);
        let found = found.map(|(value, file)| (value.to_string(), file.scope));
        let expected = expected.map(|(value, scope)| (value.to_owned(), scope));
        assert_eq!(found, expected, "{key}");
    };
    check("project", "a", Some(("3", Scope::Project)));
    check("elsewhere", "a", Some(("2", Scope::User)));
    check("home", "a", Some(("2", Scope::User)));
    check("project", "b.c", Some(("2", Scope::User)));
    check("project", "x.y", Some(("4", Scope::System)));
    check("project", "d", Some(("\"defaults\"", Scope::Defaults)));
    check("project", "a.b", None);
    check("project", "", None);
}

#[test]
fn variables() {
    let check = |text: &str, expected: &str| {
        let file = serde_json::json!({ "a": [text] }).to_string();
        let files = Files::new(&[("project/.gemini/settings.json", &file)]);
        let settings = files.read("project");
        let (value, _) = settings.get("a").unwrap();
        assert_eq!(value[0], expected, "{text}");
    };
    check("$NAME/x", "value/x");
    check("${NAME}x", "valuex");
    check("$NAMEx $ $$ ${ ${} $", "$NAMEx $ $$ ${ ${} $");
    check("ä$NAME", "ävalue");
}

#[test]
fn display_paths() {
    let files = Files::new(&[]);
    let paths = Paths::new(&files.folder.path().join("home"), &files.vars);
    let file = Paths::settings();
    let shown = file.display().to_string();
    assert_eq!(paths.display_path(&paths.root.join(&file)), shown);
    let elsewhere = Paths::new(Path::new("elsewhere"), &files.vars);
    let home = files.folder.path().join("home").join(&file);
    let tilde = Path::new("~").join(&file).display().to_string();
    assert_eq!(elsewhere.display_path(&home), tilde);
}
