//! Proposals in the real Neovim, whose user types.

use std::fs;
use std::process::Stdio;
use std::thread::{self, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

use cogtools_editor::client::Request;
use serde_json::{Value, json};

use crate::fixture::{Fixture, hash, program};
use crate::neovim::{Neovim, TEXT};

const PROPOSED: &str = "one\nTWO\n\tthree\nfour\nfive\n";
const MOMENT: Duration = Duration::from_millis(1_100);

fn proposal(neovim: &Neovim, name: &str, content: &str, base: Option<&str>) -> Request {
    Request::ProposeEdit {
        path: neovim.fixture.path("project").join(name),
        content: content.to_owned(),
        hash: base.map(hash),
    }
}

/// Waits until an expression has a value.
fn wait(neovim: &Neovim, expression: &str, expected: &str) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let found = neovim.evaluate(expression);
        if found == expected {
            return;
        }
        assert!(Instant::now() < end, "{expression}: {found:?}");
        sleep(Duration::from_millis(20));
    }
}

/// Ends Neovim if a test fails while a proposal waits for its user.
struct Ends<'n>(&'n Neovim);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.end();
        }
    }
}

/// The outcome of a proposal once its user has done `acts`.
fn outcome(neovim: &Neovim, request: &Request, acts: impl FnOnce(&Asked<'_>)) -> Value {
    thread::scope(|scope| {
        let asked = scope.spawn(|| neovim.ask(request));
        let _ends = Ends(neovim);
        wait(neovim, "tabpagenr('$')", "2");
        acts(&asked);
        asked.join().expect("it answers")
    })
}

type Asked<'s> = ScopedJoinHandle<'s, Value>;

fn text(neovim: &Neovim) -> Value {
    let now = neovim.ask(&Request::CurrentFile { path: None });
    json!([now["text"], now["dirty"]])
}

/// The bar of the window, as it is shown. Neovim 0.7 has no winbar.
fn bar(neovim: &Neovim) -> String {
    neovim.evaluate(
        "nvim_eval_statusline(exists('+winbar') ? &winbar : &statusline, {'maxwidth': 200}).str",
    )
}

#[test]
fn a_proposal_is_a_diff_tab_that_its_user_accepts_by_a_key_or_a_command() {
    for keys in ["ga", ":CogtoolsAccept<CR>"] {
        let neovim = Neovim::start_in_terminal();
        let request = proposal(&neovim, "a.txt", PROPOSED, Some(TEXT));
        let accepted = outcome(&neovim, &request, |asked| {
            assert_eq!(neovim.evaluate("winnr('$')"), "2");
            assert_eq!(neovim.evaluate("&diff && getwinvar(1, '&diff')"), "1");
            let bar = bar(&neovim);
            let (path, help) = bar.split_once("  ").expect("two parts");
            assert_eq!(path, "a.txt: 2 changes");
            assert_eq!(
                help.trim(),
                "accept: ga or :CogtoolsAccept, reject: gr or :CogtoolsReject"
            );
            sleep(MOMENT);
            assert!(!asked.is_finished(), "nobody has answered");
            neovim.types(keys);
        });
        assert_eq!(
            accepted,
            json!({"outcome": "accepted", "hash": hash(PROPOSED)})
        );
        assert_eq!(neovim.evaluate("tabpagenr('$')"), "1");
        assert_eq!(text(&neovim), json!([PROPOSED, true]));
        // Saving is left to the user, and one undo takes it back.
        let saved = fs::read_to_string(neovim.fixture.path("project/a.txt"));
        assert_eq!(saved.expect("it is there"), TEXT);
        neovim.types("u");
        assert_eq!(text(&neovim)[0], TEXT);
    }
}

#[test]
fn a_proposal_is_rejected_with_a_reason_or_by_closing_its_tab() {
    for (keys, expected) in [
        ("gr", json!({"outcome": "rejected"})),
        (":tabclose<CR>", json!({"outcome": "rejected"})),
        (":qa!<CR>", json!({"outcome": "rejected"})),
        (
            ":CogtoolsReject keep the 2nd line<CR>",
            json!({"outcome": "rejected", "reason": "keep the 2nd line"}),
        ),
    ] {
        let neovim = Neovim::start_in_terminal();
        for name in ["a.txt", "new.txt"] {
            if name == "new.txt" && keys.starts_with(":q") {
                continue;
            }
            let request = proposal(&neovim, name, PROPOSED, None);
            let rejected = outcome(&neovim, &request, |_| {
                neovim.types_last(keys);
            });
            assert_eq!(rejected, expected, "{keys}");
        }
        if !keys.starts_with(":q") {
            assert_eq!(text(&neovim), json!([TEXT, false]), "{keys}");
            assert_eq!(neovim.evaluate("bufexists('new.txt')"), "0");
            assert_eq!(neovim.evaluate("len(getbufinfo())"), "1");
        }
    }
}

#[test]
fn nothing_is_accepted_within_the_first_second_or_in_insert_mode() {
    let neovim = Neovim::start_in_terminal();
    let request = proposal(&neovim, "a.txt", PROPOSED, None);
    let changed = outcome(&neovim, &request, |asked| {
        // Typed before the tab was there.
        neovim.types("ga").types(":CogtoolsAccept<CR>").types("dd");
        assert!(!asked.is_finished());
        sleep(MOMENT);
        assert_eq!(neovim.evaluate("getline(1)"), "one");
        neovim.types("ggOga:CogtoolsAccept<C-o>ga");
        assert!(!asked.is_finished());
        neovim.types("<C-o>:CogtoolsAccept<CR>");
        assert!(!asked.is_finished());
        neovim.types("<Cmd>CogtoolsAccept<CR>");
        assert!(!asked.is_finished());
        neovim.types("<Esc>");
        assert!(
            bar(&neovim).starts_with("a.txt: 3 changes  "),
            "{}",
            bar(&neovim)
        );
        neovim.types("ga");
    });
    let now = format!("ga:CogtoolsAccept\n{PROPOSED}");
    let diff =
        "--- proposed\n+++ accepted\n@@ -1,3 +1,4 @@\n+ga:CogtoolsAccept\n one\n TWO\n \tthree\n";
    assert_eq!(
        changed,
        json!({"outcome": "changed", "diff": diff, "hash": hash(&now)})
    );
    assert_eq!(text(&neovim), json!([now, true]));
}

#[test]
fn a_text_that_has_changed_is_stale() {
    let neovim = Neovim::start_in_terminal();
    let request = proposal(&neovim, "a.txt", PROPOSED, Some("other"));
    let stale = json!({"outcome": "stale", "hash": hash(TEXT)});
    assert_eq!(neovim.ask(&request), stale);
    assert_eq!(neovim.evaluate("tabpagenr('$')"), "1");
    // While its user looks at it.
    let request = proposal(&neovim, "a.txt", PROPOSED, Some(TEXT));
    let outcome = outcome(&neovim, &request, |_| {
        sleep(MOMENT);
        neovim.types("gtxgt");
        sleep(MOMENT);
        neovim.types("ga");
    });
    let now = TEXT.strip_prefix('o').expect("it begins with it");
    assert_eq!(outcome, json!({"outcome": "stale", "hash": hash(now)}));
    assert_eq!(text(&neovim), json!([now, true]));
}

#[test]
fn a_file_that_cannot_be_changed_is_refused() {
    let neovim = Neovim::start_in_terminal();
    let refused = |name: &str| {
        let (answer, reasons) = neovim.fixture.ask(&proposal(&neovim, name, PROPOSED, None));
        assert_eq!(reasons, [""; 0]);
        answer[1].clone()
    };
    let modifiable = json!({"outcome": "refused", "kind": "not_modifiable"});
    for keys in [":set nomodifiable<CR>", ":set modifiable readonly<CR>"] {
        neovim.types(keys);
        assert_eq!(refused("a.txt"), modifiable, "{keys}");
    }
    // In another Neovim, with changes that are not saved.
    let (file, socket) = (
        neovim.fixture.path("project/b.txt"),
        neovim.fixture.path("other.sock"),
    );
    fs::write(&file, TEXT).expect("it is written");
    let mut other = program("nvim")
        .args(["--headless", "--clean", "--listen"])
        .arg(&socket)
        .arg(&file)
        .env("HOME", neovim.fixture.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("neovim is installed");
    Fixture::wait(&socket);
    let typed = program("nvim")
        .arg("--server")
        .arg(&socket)
        .args(["--remote-send", "ix<Esc>:preserve<CR>"])
        .status();
    assert!(typed.expect("neovim is installed").success());
    sleep(Duration::from_millis(300));
    let process = other.id();
    let expected = json!({"outcome": "refused", "kind": "open_elsewhere", "process": process});
    assert_eq!(refused("b.txt"), expected);
    let _ = other.kill();
    let _ = other.wait();
    assert_eq!(refused("b.txt")["kind"], "not_recovered");
    // Nothing of it is on the screen, and nothing waits for a key.
    let screen = "join(map(range(1, &lines), {_, y -> join(map(range(1, &columns), \
                  {_, x -> screenstring(y, x)}), '')}), '')";
    let (screen, messages) = (
        neovim.evaluate(screen),
        neovim.evaluate("execute('messages')"),
    );
    for text in ["E325", "ATTENTION"] {
        assert!(
            !screen.contains(text) && !messages.contains(text),
            "{screen} {messages}"
        );
    }
    assert_eq!(neovim.evaluate("mode(1)"), "n");
    assert_eq!(neovim.evaluate("tabpagenr('$')"), "1");
    assert_eq!(neovim.evaluate("len(getbufinfo())"), "1");
}

#[test]
fn two_proposals_are_answered_each_by_itself_while_neovim_goes_on() {
    let neovim = Neovim::start_in_terminal();
    let requests = ["b.txt", "c.txt"].map(|name| {
        let lines = "0\n1\n".repeat(250);
        fs::write(neovim.fixture.path("project").join(name), &lines).expect("it is written");
        proposal(&neovim, name, &lines.replace("0\n", "O\n"), None)
    });
    let [one, other] = thread::scope(|scope| {
        let asked = [0, 1].map(|index| {
            let neovim = &neovim;
            let request = &requests[index];
            let asked = scope.spawn(move || neovim.ask(request));
            wait(neovim, "tabpagenr('$')", &(index + 2).to_string());
            asked
        });
        let _ends = Ends(&neovim);
        sleep(MOMENT);
        // Both sides are scrolled together.
        neovim.types("<C-f><C-f>");
        let top = neovim.evaluate("line('w0')");
        assert_ne!(top, "1");
        assert_eq!(neovim.evaluate("getwininfo(win_getid(1))[0].topline"), top);
        neovim.types("ga");
        wait(&neovim, "tabpagenr('$')", "2");
        neovim.types("ga:CogtoolsReject later<CR>");
        asked.map(|asked| asked.join().expect("it answers"))
    });
    assert_eq!(one, json!({"outcome": "rejected", "reason": "later"}));
    assert_eq!(other["outcome"], "accepted");
}

/// Keeps the keys of a file or of the command-line window out of a proposal.
#[test]
fn a_proposal_waits_until_nothing_is_being_typed() {
    for (begin, end) in [
        ("Anew", "<Esc>"),
        ("Anew", "<C-c>"),
        ("q:inew", "<Esc>:q<CR>"),
    ] {
        let neovim = Neovim::start_in_terminal();
        let request = proposal(&neovim, "b.txt", PROPOSED, None);
        let rejected = thread::scope(|scope| {
            neovim.types(begin);
            let asked = scope.spawn(|| neovim.ask(&request));
            let _ends = Ends(&neovim);
            wait(
                &neovim,
                "execute('messages') =~ 'waits until you leave this mode'",
                "1",
            );
            assert_eq!(neovim.evaluate("tabpagenr('$')"), "1");
            neovim.types("er").types(end);
            wait(&neovim, "tabpagenr('$')", "2");
            neovim.types("gr");
            asked.join().expect("it answers")
        });
        assert_eq!(rejected, json!({"outcome": "rejected"}), "{begin}{end}");
        let changed = TEXT.replacen("one", "onenewer", 1);
        let expected = if begin == "Anew" { &changed } else { TEXT };
        assert_eq!(text(&neovim)[0], *expected);
    }
}

#[test]
fn line_ends_stay_as_they_are() {
    let neovim = Neovim::start_in_terminal();
    let path = neovim.fixture.path("project/crlf.txt");
    fs::write(path, "one\r\ntwo\r\nthree\r\n").expect("it is written");
    neovim.types(":e ++ff=unix crlf.txt<CR>");
    let request = proposal(&neovim, "crlf.txt", "one\nTWO\nthree\n", None);
    let accepted = outcome(&neovim, &request, |_| {
        assert!(bar(&neovim).starts_with("crlf.txt: 1 change  "));
        sleep(MOMENT);
        neovim.types("ga");
    });
    assert_eq!(accepted["outcome"], "accepted");
    assert_eq!(text(&neovim)[0], "one\r\nTWO\r\nthree\r\n");
    // A text without an end of its last line, which its user changes.
    let request = proposal(&neovim, "a.txt", "one\nTWO", Some(TEXT));
    let changed = outcome(&neovim, &request, |_| {
        sleep(MOMENT);
        neovim.types("ccthree<Esc>ga");
    });
    let path = Some(neovim.fixture.path("project/a.txt"));
    let now = neovim.ask(&Request::CurrentFile { path });
    assert_eq!(
        json!([changed["outcome"], changed["hash"]]),
        json!(["changed", now["hash"]])
    );
}

#[test]
fn texts_and_paths_are_shown_as_they_are() {
    let neovim = Neovim::start_in_terminal();
    let modeline = "# vim: set textwidth=13 nomodifiable :\n";
    let name = "%{execute('q')}%=\u{1b}[31m\n.txt";
    fs::write(neovim.fixture.path("project").join(name), modeline).expect("it is written");
    let content = format!("{modeline}\u{1b}]0;owned\u{7}\u{202e}\n");
    let request = proposal(&neovim, name, &content, None);
    let accepted = outcome(&neovim, &request, |_| {
        let bar = bar(&neovim);
        assert!(
            bar.starts_with("%{execute('q')}%=^[[31m^@.txt: 1 change  "),
            "{bar:?}"
        );
        assert_eq!(neovim.evaluate("&textwidth"), "0");
        sleep(MOMENT);
        neovim.types("ga");
    });
    assert_eq!(accepted["outcome"], "accepted");
    // Nobody has opened the file, so its options are the user's.
    assert_eq!(
        neovim.evaluate("max(map(getbufinfo(), {_, one -> getbufvar(one.bufnr, '&textwidth')}))"),
        "0"
    );
}
