//! The smallest server with `rmcp`, without any tools. `cargo xtask bench` measures
//! how much longer `cogtools-mcp` takes to answer.

use std::error::Error;

use rmcp::{ServerHandler, ServiceExt as _, transport::stdio};

struct Smallest;

impl ServerHandler for Smallest {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    Smallest.serve(stdio()).await?.waiting().await?;
    Ok(())
}
