//! The SDKs of npm: declarations as literals of their types, which the compiler
//! checks, and read by the schemas of MCP's SDK.

use std::path::PathBuf;
use std::time::Duration;

use cogtools_test_support::{Outcome, Project, Run, install};

use super::{cache, declared, expected, projects};

const PACKAGES: [&str; 4] = [
    "typescript@5.9.3",
    "openai@7.57.0",
    "@anthropic-ai/sdk@1.12.0",
    "@modelcontextprotocol/sdk@1.32.2",
];

/// The options of the compiler: strict types, and no checks of the
/// SDKs' own declarations.
const OPTIONS: [&str; 9] = [
    "--noEmit",
    "--strict",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "nodenext",
    "--moduleResolution",
    "nodenext",
];

/// Each format with the type of one tool.
const TYPES: [(&str, &str); 3] = [
    (
        "openai",
        "import type { ChatCompletionTool as Tool } from 'openai/resources/chat/completions';",
    ),
    (
        "anthropic",
        "import type { Tool } from '@anthropic-ai/sdk/resources/messages';",
    ),
    (
        "mcp",
        "import type { Tool } from '@modelcontextprotocol/sdk/types.js';",
    ),
];

fn place() -> PathBuf {
    install::npm(&cache(), "sdk-npm-1", &PACKAGES)
}

fn node() -> PathBuf {
    install::node(&cache())
}

/// Compiles the files in `project`.
fn compile(project: &Project, files: &[String]) -> Outcome {
    project
        .link("node_modules", place().join("node_modules"))
        .file("package.json", "{\"type\": \"module\"}");
    Run::new(place().join("node_modules/.bin/tsc"))
        .project(project)
        .path(node())
        .args(OPTIONS)
        .args(files)
        .limit(Duration::from_mins(2))
        .run()
}

#[test]
fn the_compiler_takes_them() {
    let scratch = Project::new();
    let mut files = Vec::new();
    for (format, import) in TYPES {
        for (index, (project, _)) in projects(format).iter().enumerate() {
            let tools = declared(project, format);
            let file = format!("{format}{index}.ts");
            scratch.file(
                &file,
                format!("{import}\nexport const tools: Tool[] = {tools};\n"),
            );
            files.push(file);
        }
    }
    compile(&scratch, &files).outputs("");
}

#[test]
fn the_compiler_can_refuse() {
    for (format, import) in TYPES {
        let scratch = Project::new();
        let file = format!("{format}.ts");
        let text = format!("{import}\nexport const tools: Tool[] = [{{name: 'a', more: 1}}];\n");
        scratch.file(&file, text);
        let outcome = compile(&scratch, &[file]);
        outcome.status(2).stderr_is("").stdout_contains("error TS");
    }
}

#[test]
fn the_schemas_of_mcp_read_them() {
    const READ: &str = "import { ListToolsResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { readFileSync } from 'node:fs';
const tools = JSON.parse(readFileSync('tools.json', 'utf8'));
const read = ListToolsResultSchema.strict().parse({ tools });
for (const [index, tool] of read.tools.entries()) {
  if (JSON.stringify(Object.keys(tool).sort()) !== JSON.stringify(Object.keys(tools[index]).sort()))
    throw new Error(tool.name);
  console.log(tool.name);
}
";
    for (project, names) in projects("mcp") {
        let scratch = Project::new();
        scratch
            .link("node_modules", place().join("node_modules"))
            .file("tools.json", declared(&project, "mcp"))
            .file("read.mjs", READ);
        Run::new(node().join("node"))
            .project(&scratch)
            .arg("read.mjs")
            .limit(Duration::from_mins(1))
            .run()
            .outputs(expected(&names));
    }
}
