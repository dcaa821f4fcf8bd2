//! Pictures for documents: the output of a program on a terminal, as SVG.
//!
//! The program runs in this process in a committed project, so that a picture shows
//! real output and is the same everywhere.

use std::path::Path;

use anstyle::RgbColor;
use anstyle_svg::{Palette, Term};
use anyhow::{Context as _, Result};
use cogtools_program::{CapturedRun, Terminals};

/// A picture as a file.
#[derive(Debug)]
pub struct Picture {
    /// Its name, such as `lint.svg`.
    pub file: &'static str,
    /// The SVG.
    pub text: String,
}

/// Every program whose output is pictured: its name, its arguments, the file.
const SHOWN: [(&str, &[&str], &str); 2] = [
    ("cogtools-lint", &[], "lint.svg"),
    ("cogtools-session", &["show", "why.jsonl"], "session.svg"),
];

/// Nearly black and nearly white: a background of its own, so that a picture can
/// be read on light and dark pages.
const TERM: Term = Term::new()
    .bg_color(rgb(0x16, 0x1b, 0x22))
    .fg_color(rgb(0xe6, 0xed, 0xf3))
    .palette(Palette(PALETTE))
    .min_width_px(0);

/// The colours of a terminal, in their order, each readable on the background.
const PALETTE: [RgbColor; 16] = [
    RgbColor(0x48, 0x4f, 0x58),
    RgbColor(0xff, 0x7b, 0x72),
    RgbColor(0x3f, 0xb9, 0x50),
    RgbColor(0xe3, 0xb3, 0x41),
    RgbColor(0x58, 0xa6, 0xff),
    RgbColor(0xbc, 0x8c, 0xff),
    RgbColor(0x56, 0xd4, 0xdd),
    RgbColor(0xb1, 0xba, 0xc4),
    RgbColor(0x6e, 0x76, 0x81),
    RgbColor(0xff, 0xa1, 0x98),
    RgbColor(0x56, 0xd3, 0x64),
    RgbColor(0xf2, 0xcc, 0x60),
    RgbColor(0x79, 0xc0, 0xff),
    RgbColor(0xd2, 0xa8, 0xff),
    RgbColor(0xb3, 0xf0, 0xff),
    RgbColor(0xff, 0xff, 0xff),
];

/// All pictures.
pub fn all() -> Result<Vec<Picture>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("picture");
    let shown = SHOWN.into_iter();
    shown
        .map(|(program, args, file)| {
            let CapturedRun { stdout, stderr, .. } = run(program, args, &project)?;
            let program = program.replacen('-', " ", 1);
            let typed = [&[program.as_str()], args].concat().join(" ");
            let text = format!("\u{1b}[2m$\u{1b}[0m \u{1b}[1m{typed}\u{1b}[0m\n{stdout}{stderr}");
            let text = TERM.render_svg(&text);
            Ok(Picture { file, text })
        })
        .collect()
}

/// A run on a terminal.
fn run(program: &str, args: &[&str], project: &Path) -> Result<CapturedRun> {
    let programs = cogtools::PROGRAMS.iter();
    let found = programs.into_iter().find(|it| it.name == program);
    let found = found.with_context(|| format!("there is no program {program}"))?;
    let terminals = Terminals {
        stdout: true,
        stderr: true,
    };
    Ok(found.run_captured(project, terminals, args))
}

const fn rgb(red: u8, green: u8, blue: u8) -> anstyle::Color {
    anstyle::Color::Rgb(RgbColor(red, green, blue))
}
