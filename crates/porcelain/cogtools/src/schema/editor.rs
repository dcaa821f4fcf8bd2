//! The settings with which editors find the schemas.

/// An editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Editor {
    /// Visual Studio Code, with the YAML extension by Red Hat.
    VsCode,
    /// Neovim, with its language client.
    Neovim,
    /// Helix.
    Helix,
    /// Zed.
    Zed,
    /// The IDEs by `JetBrains`.
    JetBrains,
    /// Emacs, with Eglot.
    Emacs,
}

impl Editor {
    const ALL: [(&'static str, Self, &'static str); 6] = [
        ("vscode", Self::VsCode, include_str!("editor/vscode.jsonc")),
        ("neovim", Self::Neovim, include_str!("editor/neovim.lua")),
        ("helix", Self::Helix, include_str!("editor/helix.toml")),
        ("zed", Self::Zed, include_str!("editor/zed.jsonc")),
        (
            "jetbrains",
            Self::JetBrains,
            include_str!("editor/jetbrains.xml"),
        ),
        ("emacs", Self::Emacs, include_str!("editor/emacs.el")),
    ];

    /// The names on the command line.
    pub const NAMES: [&'static str; Self::ALL.len()] = {
        let mut names = [""; Self::ALL.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = Self::ALL[at].0;
            at += 1;
        }
        names
    };

    /// The editor of that name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, ..)| *known == name)
            .map(|(_, editor, _)| editor)
    }

    /// A whole file, which begins with a comment that says where it belongs.
    pub fn settings(self) -> &'static str {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, editor, _)| *editor == self)
            .map_or("", |(.., settings)| settings)
    }
}
