//! The binary that `cargo xtask` runs to write the manual.

fn main() -> anyhow::Result<()> {
    xtask_manual::run(&std::env::args().skip(1).collect::<Vec<_>>())
}
