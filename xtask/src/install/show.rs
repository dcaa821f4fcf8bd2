//! The installed programs at work, in this repository.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::command::root;
use crate::say;

/// Runs a discovery and a call of facepalm, as a host would, and prints them.
pub(super) fn at_work(bin: &Path) -> Result<()> {
    say::line("");
    say::line("$ cogtools-discover --yaml --tools facepalm");
    let discover = ["--yaml", "--tools", "facepalm"];
    shown(&mut program(bin, "cogtools-discover", &discover)?, None)?;
    let arguments = example()?;
    say::line("");
    say::line("$ cogtools-call --yaml facepalm <<'END'");
    say::line(arguments.trim_end());
    say::line("END");
    let mut call = program(bin, "cogtools-call", &["--yaml", "facepalm"])?;
    shown(&mut call, Some(&arguments))
}

/// The remaining steps for the shell to find everything.
pub(super) fn next_steps(prefix: &Path) {
    let bin = prefix.join("bin");
    say::line("");
    if !on_path(&bin) {
        say::line("add the programs to PATH, in ~/.profile or your shell's startup file:");
        say::line(&format!("    export PATH=\"{}:$PATH\"", bin.display()));
        say::line("`man` finds the pages by PATH too; if yours does not:");
        let man = prefix.join("share/man");
        say::line(&format!("    export MANPATH=\"{}:\"", man.display()));
    }
    say::line("zsh finds the completions with this before compinit:");
    let zsh = prefix.join("share/zsh/site-functions");
    say::line(&format!("    fpath=(\"{}\" $fpath)", zsh.display()));
    say::line("");
    say::line("next: run `cogtools init` in a project; `cogtools help` lists the rest");
}

fn program(bin: &Path, name: &str, args: &[&str]) -> Result<Command> {
    let mut command = Command::new(bin.join(name));
    command.args(args).current_dir(root()?);
    Ok(command)
}

/// Runs `command` with `input` and prints its output.
fn shown(command: &mut Command, input: Option<&str>) -> Result<()> {
    let name = command.get_program().display().to_string();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {name}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, input.unwrap_or_default().as_bytes())
            .with_context(|| format!("cannot write to {name}"))?;
    }
    let output = child
        .wait_with_output()
        .with_context(|| format!("cannot wait for {name}"))?;
    say::line(String::from_utf8_lossy(&output.stdout).trim_end());
    if !output.status.success() {
        bail!("{name} failed: {}", output.status);
    }
    Ok(())
}

/// The arguments of the tool's first example, as its file writes them.
pub(crate) fn example() -> Result<String> {
    let file = root()?.join("tools/facepalm.yaml");
    let text = std::fs::read_to_string(&file)
        .with_context(|| format!("cannot read {}", file.display()))?;
    first_example(&text).context("tools/facepalm.yaml has no examples")
}

/// The lines of the first item under `examples:`, moved to the left.
fn first_example(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| *line != "examples:").skip(1);
    let mut example = format!("{}\n", lines.next()?.strip_prefix("  - ")?);
    for line in lines {
        match line.strip_prefix("    ") {
            Some(line) => example.push_str(line),
            None if line.is_empty() => {}
            None => break,
        }
        example.push('\n');
    }
    Some(format!("{}\n", example.trim_end()))
}

fn on_path(bin: &Path) -> bool {
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir == bin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_example_is_cut_out_as_it_stands() {
        let text = "name: a\nexamples:\n  - b: 1\n    c: |\n      d\n\n      e\n  - b: 2\n";
        assert_eq!(first_example(text).unwrap(), "b: 1\nc: |\n  d\n\n  e\n");
        assert_eq!(first_example("name: a\n"), None);
    }
}
