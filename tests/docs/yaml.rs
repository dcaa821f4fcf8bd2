//! YAML blocks: tools are tools, configurations are configurations.

use cogtools_core::{Config, Project as Root};
use cogtools_testing::{Project, Run};

use super::documents;

#[test]
fn tools_are_valid() {
    let mut tools = 0;
    for document in documents() {
        for block in document
            .blocks
            .iter()
            .filter(|block| block.has_key("implementation"))
        {
            let at = format!("{}:{}", document.name, block.line);
            let name = block
                .content
                .lines()
                .find_map(|line| line.strip_prefix("name: "));
            let name = name.unwrap_or_else(|| panic!("{at}: a tool without a name"));
            let project = Project::new();
            project.file(format!("tools/{name}.yaml"), &block.content);
            let outcome = Run::new(crate::programs().join("cogtools-discover"))
                .arg("--strict")
                .project(&project)
                .run();
            outcome.expect(0, &outcome.stdout, "");
            tools += 1;
        }
    }
    assert!(tools > 2, "only {tools} tools were found");
}

#[test]
fn configurations_are_valid() {
    let mut configurations = 0;
    for document in documents() {
        for block in document
            .blocks
            .iter()
            .filter(|block| block.has_key("tool_sources"))
        {
            let project = Project::new();
            project.file(".cogtoolrc.yaml", &block.content);
            let config = Config::load(&Root::find(&project.root(), None));
            assert!(
                config.is_ok(),
                "{}:{}: {config:?}",
                document.name,
                block.line
            );
            configurations += 1;
        }
    }
    assert!(configurations > 0, "no configuration was found");
}
