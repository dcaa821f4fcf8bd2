//! The smallest server that `rmcp` makes: it has nothing. `cargo xtask bench`
//! measures how much later ours answers.

use std::error::Error;

use rmcp::{ServerHandler, ServiceExt as _, transport::stdio};

struct Smallest;

impl ServerHandler for Smallest {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Smallest.serve(stdio()).await?.waiting().await?;
    Ok(())
}
