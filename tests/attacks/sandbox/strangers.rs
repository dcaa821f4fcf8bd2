//! Packages and providers, which have a sandbox whether they declare one or not.

use cogtools_test_support::{Outcome, Project, Run, str};

use super::{PROBE, call, scene};
use crate::packages::depend_on_pk;
use crate::run;

const ALL: &str = "read key,read project,write project,write home,write temporary,tcp,udp";

/// A project with the package `pk`, whose tool `pk_run` makes all attempts.
fn package(sandbox: &str) -> Project {
    let project = scene();
    let probe = PROBE.replace("sys.argv[1]", &format!("{ALL:?}"));
    let probe = probe.replace('\n', "\n    ");
    depend_on_pk(&project)
        .file(".cogtoolrc.yaml", "tool_sources: [node_modules]\n")
        .file(
            "node_modules/pk/tools/pk_run.yaml",
            format!(
                "name: pk_run\ndescription: d\n{sandbox}implementation:\n  script: |\n    \
                 #!/usr/bin/env python3\n    {probe}\n"
            ),
        );
    project
}

fn call_package(project: &Project) -> Outcome {
    run("cogtools-trust", project)
        .args(["pk", "--yes"])
        .run()
        .status(0);
    run("cogtools-call", project).arg("pk_run").run()
}

#[test]
fn a_package_reads_the_project_and_reaches_nothing_else() {
    call_package(&package("")).outputs(str![[r#"
read key: denied
read project: done
write project: denied
write home: denied
write temporary: done
tcp: denied
udp: denied

"#]]);
}

#[test]
fn a_package_has_what_it_declares_and_the_user_has_approved() {
    call_package(&package("sandbox: {write: [.], net: true}\n")).outputs(str![[r#"
read key: denied
read project: done
write project: done
write home: denied
write temporary: done
tcp: done
udp: done

"#]]);
}

#[test]
fn a_sandbox_that_changes_requires_a_new_approval() {
    let project = package("");
    call_package(&project).status(0);
    let tool = project.read("node_modules/pk/tools/pk_run.yaml");
    let tool = tool.replace("implementation", "sandbox: {net: true}\nimplementation");
    project.file("node_modules/pk/tools/pk_run.yaml", tool);
    run("cogtools-call", &project)
        .arg("pk_run")
        .run()
        .fails(77, str![[r#"
cogtools-call: error[DENIED]: pk_run: it runs commands and comes from the package `pk`, which has changed since it was approved
hint: only the user can approve it, after reviewing what it runs: cogtools trust pk

"#]]);
}

/// A project with a provider, whose tool makes all attempts.
fn provider(sandbox: &str) -> Project {
    let project = scene();
    let run = "#!/bin/sh
[ \"$1\" = call ] || exec echo '[{\"name\": \"t\", \"description\": \"d\"}]'
exec python3 \"$(dirname \"$0\")/probe.py\" 'ALL'
";
    project
        .program("pro/run", run.replace("ALL", ALL))
        .file("pro/probe.py", PROBE);
    configure(&project, sandbox);
    project
}

fn configure(project: &Project, sandbox: &str) {
    project.file(
        ".cogtoolrc.yaml",
        format!(
            "tool_sources: [{{command: {{discover: pro/run, call: pro/run call, name: p{sandbox}}}}}]\n"
        ),
    );
}

fn trust(project: &Project) -> Run {
    run("cogtools-trust", project).args(["p", "--yes"])
}

#[test]
fn a_provider_reads_the_project_and_reaches_nothing_else() {
    let project = provider("");
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#"
read key: denied
read project: done
write project: denied
write home: denied
write temporary: done
tcp: denied
udp: denied

"#]]);
}

#[test]
fn a_provider_has_what_the_user_has_approved() {
    let project = provider(", sandbox: {net: true}");
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#"
read key: denied
read project: done
write project: denied
write home: denied
write temporary: done
tcp: done
udp: done

"#]]);
    configure(&project, ", sandbox: {net: true, write: [.]}");
    call(&project).run().fails(
        127,
        str![[r#"
cogtools-call: error[TOOL_NOT_FOUND]: t: no such tool
hint: cogtools-discover lists all tools
cogtools-call: error[DENIED]: the provider `p` has changed since it was approved
hint: review what it runs, then approve it: cogtools trust p

"#]],
    );
    trust(&project).run().status(0);
    call(&project).run().outputs(str![[r#"
read key: denied
read project: done
write project: done
write home: denied
write temporary: done
tcp: done
udp: done

"#]]);
}

#[test]
fn discovery_is_confined_too() {
    let project = provider("");
    let probe = project
        .read("pro/run")
        .replace("|| exec echo", "|| python3 \"$(dirname \"$0\")/probe.py\" 'read key,tcp' >&2\n[ \"$1\" = call ] || exit 3\nexec echo");
    project.program("pro/run", probe);
    trust(&project).run().status(1).stderr_is(str![[r#"
cogtools-trust: error[TOOL_FAILED]: the provider `p` failed to declare its tools: it exited with status 3
  | read key: denied
  | tcp: denied
hint: its command is now approved, but none of its tools is

"#]]);
}

/// A server that the project names has the network and its own folder; it neither reads the home
/// directory nor writes to the project.
#[test]
fn a_server_writes_nothing() {
    let project = scene();
    let server = "#!/bin/sh
while read -r line; do
id=$(printf '%s' \"$line\" | sed -n 's/.*\"id\":\\([0-9]*\\).*/\\1/p')
case $line in
*'\"initialize\"'*) result='{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}';;
*'\"tools/list\"'*) result='{\"tools\":[{\"name\":\"t\",\"description\":\"d\",\"inputSchema\":{\"type\":\"object\"}}]}';;
*'\"tools/call\"'*) text=$(python3 \"$(dirname \"$0\")/probe.py\" 'ALL' | tr '\\n' ';')
result=\"{\\\"content\\\":[{\\\"type\\\":\\\"text\\\",\\\"text\\\":\\\"$text\\\"}]}\";;
*) continue;;
esac
printf '{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\\n' \"$id\" \"$result\"
done
";
    project
        .program("pro/run", server.replace("ALL", ALL))
        .file("pro/probe.py", PROBE)
        .file(
            ".cogtoolrc.yaml",
            "tool_sources: [{mcp: {command: ./pro/run, name: p}}]\n",
        );
    trust(&project).run().status(0);
    call(&project).run().outputs(str!["read key: denied;read project: done;write project: denied;write home: denied;write temporary: done;tcp: done;udp: done;"]);
}
