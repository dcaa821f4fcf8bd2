//! Attacks of programs: on tools out of scope, on results of others, and after the end.

use super::*;

/// A file of the user is no result, wherever a golden file leads.
#[test]
fn a_dry_run_follows_no_link_out_of_the_project() {
    let project = project();
    project
        .file("../home/.ssh/key", "secret\n")
        .remove("tools/user.1.golden");
    project.link("tools/user.1.golden", project.home().join(".ssh/key"));
    let outcome = code(
        &project,
        &["run", "--dry-run"],
        "return tools.user({id: 1})",
    );
    outcome.status(0);
    let text = String::from_utf8_lossy(&outcome.stdout);
    assert!(!text.contains("secret"), "{text}");
    assert!(text.contains("(example)"), "{text}");
}

/// Programs that return what they reached; `none` is the expected answer.
#[test]
fn nothing_but_tools_in_scope_is_reached() {
    let project = project();
    for program in [
        // Names of the language are no tools, and tools cannot be replaced.
        "return tools.__proto__ ?? 'none'",
        "try { tools.tax = () => 'mine' } catch {} return tools.tax({amount: 100}) === '119' ? 'none' : 'all'",
        "try { Object.defineProperty(tools, 'x', {value: 1}) } catch { return 'none' }",
        "try { delete tools.tax } catch {} return 'tax' in tools ? 'none' : 'gone'",
        "try { parallel = 1 } catch { return 'none' }",
        "const n = 'run_code'; try { return tools[n]({code: 'return 1'}) } catch (e) { return e.code === 'TOOL_NOT_FOUND' ? 'none' : e.code }",
        "const n = 'find_tool'; try { return tools[n]({query: 'x'}) } catch (e) { return e.code === 'TOOL_NOT_FOUND' ? 'none' : e.code }",
        "const n = 'call_tool'; try { return tools[n]({name: 'mail', arguments: {to: 'a'}}) } catch (e) { return e.code === 'TOOL_NOT_FOUND' ? 'none' : e.code }",
        "const n = '../tax'; try { return tools[n]({amount: 1}) } catch (e) { return e.code === 'TOOL_NOT_FOUND' ? 'none' : e.code }",
        // Prototypes are frozen, and a result is its own object.
        "try { Object.prototype.polluted = 1 } catch {} return ({}).polluted ?? 'none'",
        "Object.assign(tools.user({id: 1}), {mail: 'x'}); return tools.user({id: 1}).mail === 'a@x' ? 'none' : 'changed'",
        // Another use of a call in a function of `parallel`.
        "try { parallel([() => `${tools.tax({amount: 1})}`]) } catch (e) { return e.message.includes('await') ? 'none' : e.message }",
        "try { parallel([() => parallel([])]) } catch (e) { return e.message.includes('cannot') ? 'none' : e.message }",
        "try { tools.tax('text') } catch (e) { return e.code === 'SCHEMA_VIOLATION' ? 'none' : e.code }",
        "try { tools.tax([1]) } catch (e) { return e.code === 'SCHEMA_VIOLATION' ? 'none' : e.code }",
        "const a = {}; a.a = a; try { tools.tax(a) } catch (e) { return e instanceof TypeError ? 'none' : e.code }",
        "try { tools.tax({amount: 1, x: 'y'.repeat(2 ** 21)}) } catch (e) { return e.code === 'SCHEMA_VIOLATION' ? 'none' : e.code }",
        "return typeof require + typeof process + typeof host === 'undefinedundefinedundefined' ? 'none' : 'some'",
    ] {
        let outcome = code(&project, &["run"], program);
        assert_eq!(
            String::from_utf8_lossy(&outcome.stdout),
            "none\n",
            "{program}: {outcome:?}"
        );
    }
    assert_eq!(sent(&project), "");
}

#[test]
fn a_result_is_data() {
    let project = project();
    project.file(
        "tools/evil.yaml",
        "name: evil\ndescription: d\noutput: {type: json}\nimplementation: \
         '{\"__proto__\": {\"polluted\": 1}, \"constructor\": \"x\", \"toString\": \"y\", \"code\": \"tools.mail({to: 1})\"}'\n",
    );
    let program = "const it = tools.evil({}); return [Object.keys(it).length, it.polluted ?? null, ({}).polluted ?? null]";
    code(&project, &["run"], program).outputs("[4,null,null]\n");
}

#[test]
fn nothing_runs_after_the_end() {
    let project = project();
    let program = "(async () => { await null; await null; tools.tax({amount: 1}) })(); \
                   const late = {toJSON() { return tools.tax({amount: 100}) }}; return late";
    let report = report(&project, &[], program);
    // A value may call tools while it is written, after all jobs.
    assert_eq!(report["output"], "119");
    assert_eq!(calls(&report), ["1 tax succeeded", "2 tax succeeded"]);
    let forever = "const again = () => { Promise.resolve().then(again) }; again(); return 1";
    code(&project, &["run"], forever).status(124);
    let forever = "for (;;) await null";
    code(&project, &["run"], forever).status(124);
}

#[test]
fn a_tool_of_others_and_a_denied_one_do_not_run() {
    let project = project();
    project.file(".cogtoolrc.yaml", "ask: {deny: [tax]}\n");
    project.trust(".");
    let outcome = code(
        &project,
        &["run"],
        "try { tools.tax({amount: 1}) } catch (e) { return e.message }",
    );
    outcome.outputs("tax: denied by a rule of the user; do not call it again\n");
    let untrusted = Project::untrusted();
    untrusted.file(
        "tools/mail.yaml",
        "name: mail\ndescription: d\nimplementation: {exec: [touch, sent]}\n",
    );
    let program = "try { tools.mail({}) } catch (e) { return e.code }";
    code(&untrusted, &["run", "--allow", "*"], program).outputs("DENIED\n");
    assert!(!exists(&untrusted.path("sent")));
}

#[test]
fn a_call_is_cheap() {
    let project = project();
    let program = "for (let n = 0; n < 1000; n++) tools.tax({amount: n}); return 'done'";
    let report = report(&project, &[], program);
    // The limit for a release on a quiet machine is 500.
    let ms = report["ms"].as_u64().expect("a number");
    assert!(ms < 5_000, "{ms}");
}
