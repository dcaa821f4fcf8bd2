//! Pictures for documents: the output of programs on a terminal, as SVG, and a recording of
//! several runs, one after the other.
//!
//! The programs run in this process in a committed project, so that a picture shows
//! real output and is the same everywhere.

use std::fmt::Write as _;
use std::fs;
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

/// The runs of the recording: the words that are typed.
const RECORDED: [&[&str]; 5] = [
    &["cat", "tools/hello.yaml"],
    &["cogtools", "list"],
    &["cogtools", "run", "hello", "person=Ada"],
    &["cogtools", "run", "hello", "preson=Ada"],
    &["cogtools", "test"],
];

/// The length of the recording in seconds.
const LENGTH: f64 = 20.0;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pictures = SHOWN
        .into_iter()
        .map(|(program, args, file)| {
            let typed = [&[program.replacen('-', " ", 1).as_str()], args]
                .concat()
                .join(" ");
            let text = prompt(&typed) + &output(program, args, &root.join("picture"))?;
            let text = TERM.render_svg(&text);
            Ok(Picture { file, text })
        })
        .collect::<Result<Vec<Picture>>>()?;
    pictures.push(Picture {
        file: "first-minute.svg",
        text: recording(&root.join("recording"))?,
    });
    Ok(pictures)
}

/// The recording: lines appear when a person could have typed and read them. Without animations,
/// or for readers who prefer none, all of them are visible.
fn recording(project: &Path) -> Result<String> {
    let mut text = String::new();
    // The time of each line, in units that are scaled in the end.
    let (mut times, mut time) = (Vec::new(), 0.0);
    for words in RECORDED {
        let shown = match words {
            ["cat", file] => fs::read_to_string(project.join(file))?,
            [_, program, args @ ..] => output(&format!("cogtools-{program}"), args, project)?,
            _ => String::new(),
        };
        text += &prompt(&words.join(" "));
        times.push(time);
        time += 2.0;
        for _ in shown.lines() {
            times.push(time);
            time += 0.1;
        }
        time += 3.0;
        text += &shown;
    }
    let svg = TERM.render_svg(text.trim_end());
    let mut moving = String::new();
    let mut times = times.into_iter();
    for line in svg.lines() {
        let is_line = line.starts_with("    <tspan x=");
        match is_line.then(|| times.next()).flatten() {
            Some(at) => {
                let delay = at / time * LENGTH;
                let style =
                    format!("<tspan class=\"line\" style=\"animation-delay: {delay:.1}s\" x=");
                writeln!(moving, "{}", line.replacen("<tspan x=", &style, 1))?;
            }
            None => writeln!(moving, "{line}")?,
        }
    }
    Ok(moving.replacen("  </style>", &format!("{ANIMATION}  </style>"), 1))
}

/// The style of lines that appear at their time.
const ANIMATION: &str = "    @media (prefers-reduced-motion: no-preference) {
      .line { animation: appear 0.1s both; }
    }
    @keyframes appear { from { visibility: hidden } to { visibility: visible } }
";

/// The line that a person types.
fn prompt(typed: &str) -> String {
    format!("\u{1b}[2m$\u{1b}[0m \u{1b}[1m{typed}\u{1b}[0m\n")
}

/// The output of a run on a terminal.
fn output(program: &str, args: &[&str], project: &Path) -> Result<String> {
    let CapturedRun { stdout, stderr, .. } = run(program, args, project)?;
    Ok(stdout + &stderr)
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
