//! The capabilities of a tool: declared, or derived from its toolset.

use cogtools_core::file::ReadScope;
use cogtools_core::{Folder, Name};
use cogtools_test_support::Project;

#[test]
fn a_tool_in_a_toolset_without_capabilities_provides_itself() {
    let check = |file: &str, rest: &str, expected: &[&str]| {
        let project = Project::new();
        let text = format!("name: push\ndescription: d\nimplementation: x\n{rest}");
        project.file(file, text);
        let folder = Folder::new(project.path("tools"), "tools".into(), true, ReadScope::User);
        let tool = folder.find(&Name::new("push").expect("it is a name"));
        let tool = tool.expect("it is valid").expect("it is there");
        assert_eq!(tool.capabilities(), expected, "{file}, {rest}");
    };
    let declared = "capabilities: [vcs.push, vcs.send]\n";
    check("tools/push.yaml", "", &[]);
    check("tools/push.yaml", declared, &["vcs.push", "vcs.send"]);
    check("tools/git/push.yaml", "", &["git.push"]);
    check("tools/git/remote/push.yaml", "", &["git.remote.push"]);
    check("tools/@scope/a b/push.yaml", "", &["scope.a.b.push"]);
    check("tools/git/push.yaml", declared, &["vcs.push", "vcs.send"]);
}
