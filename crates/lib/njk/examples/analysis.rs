//! Lists the variables of a template.

fn main() -> Result<(), njk::Error> {
    let found = njk::analyse("{{ title | uper }}{% if note %}: {{ note }}{% endif %}")?;
    for read in found.reads {
        let need = if read.guarded { "may have" } else { "needs" };
        print(&format!(
            "{}:{}: {need} `{}`\n",
            read.line, read.column, read.name
        ));
    }
    for error in found.unknown {
        print(&format!("{error}: {}\n", error.hint().unwrap_or_default()));
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "an example shows something")]
fn print(text: &str) {
    print!("{text}");
}
