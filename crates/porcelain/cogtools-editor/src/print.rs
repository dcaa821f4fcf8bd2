//! What connects an editor without an extension: a file for each.

/// The files by the name of their editor.
pub(crate) struct Snippet;

impl Snippet {
    const ALL: [(&'static str, &'static str); 6] = [
        ("emacs", include_str!("print/emacs.el")),
        ("jetbrains", include_str!("print/jetbrains.xml")),
        ("kakoune", include_str!("print/kakoune.kak")),
        ("neovim", include_str!("print/neovim.lua")),
        ("vscode", include_str!("print/vscode.jsonc")),
        ("zed", include_str!("print/zed.jsonc")),
    ];

    /// The names of the editors.
    pub(crate) const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].0;
            at += 1;
        }
        names
    };

    /// The file for that editor, which begins with a comment that says where it belongs.
    pub(crate) fn parse(name: &str) -> Option<&'static str> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, text)| text)
    }
}
