//! The settings with which editors find the schemas.

/// The editors: the name on the command line, and a whole file, which begins with a comment that
/// says where it belongs.
pub const EDITORS: [(&str, &str); 6] = [
    ("vscode", include_str!("editor/vscode.jsonc")),
    ("neovim", include_str!("editor/neovim.lua")),
    ("helix", include_str!("editor/helix.toml")),
    ("zed", include_str!("editor/zed.jsonc")),
    ("jetbrains", include_str!("editor/jetbrains.xml")),
    ("emacs", include_str!("editor/emacs.el")),
];

/// Returns the settings of the editor of that name.
pub fn editor_settings(name: &str) -> Option<&'static str> {
    let editor = EDITORS.into_iter().find(|(known, _)| *known == name);
    editor.map(|(_, settings)| settings)
}
