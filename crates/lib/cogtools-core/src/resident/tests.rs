//! A source that is slow, fails, or panics.

use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::channel;

use serde_json::json;

use super::*;

const LONG: Duration = Duration::from_secs(20);

fn values(text: &str) -> Values {
    Arc::new([Arc::new(json!(text))])
}

fn resident() -> (Arc<Resident>, Arc<AtomicUsize>) {
    let changes = Arc::<AtomicUsize>::default();
    let count = Arc::clone(&changes);
    let on_change = move || {
        count.fetch_add(1, Ordering::SeqCst);
    };
    (Arc::new(Resident::new(on_change)), changes)
}

fn describe(answer: Result<Answer, Box<Diagnostic>>) -> String {
    match answer {
        Ok(Answer::Declared(values)) => format!("declared {}", values[0]),
        Ok(Answer::Late(values)) => format!("late {:?}", values.map(|all| all[0].to_string())),
        Err(diagnostic) => format!("failed {}", diagnostic.message),
    }
}

#[test]
fn a_late_answer_is_remembered_and_announced_once() {
    let (resident, changes) = resident();
    let (sender, receiver) = channel::<()>();
    let ask = move || {
        let _ = receiver.recv();
        Ok(values("a"))
    };
    let late = resident.ask("s", Duration::from_millis(1), ask);
    assert_eq!(describe(late), "late None");
    // It is being asked already, and has had its time.
    let again = resident.ask("s", Duration::from_millis(1), || Ok(values("b")));
    assert_eq!(describe(again), "late None");
    drop(sender);
    resident.wait_idle(LONG);
    // It is announced after that.
    let end = Instant::now() + LONG;
    while changes.load(Ordering::SeqCst) == 0 && Instant::now() < end {
        thread::yield_now();
    }
    assert_eq!(changes.load(Ordering::SeqCst), 1);
    let next = resident.ask("s", LONG, || Ok(values("a")));
    assert_eq!(describe(next), "declared \"a\"");
    let never = resident.ask("s", Duration::ZERO, || {
        thread::sleep(Duration::from_millis(20));
        Ok(values("a"))
    });
    assert_eq!(describe(never), "late Some(\"\\\"a\\\"\")");
    resident.wait_idle(LONG);
    assert_eq!(changes.load(Ordering::SeqCst), 1, "nothing is new");
}

#[test]
fn a_slow_failure_is_remembered_and_a_fast_one_is_not() {
    let (resident, changes) = resident();
    let fail = |delay: Duration| {
        move || {
            thread::sleep(delay);
            Err(Box::new(Diagnostic::new(Code::ToolFailed, "no")))
        }
    };
    let failed = resident.ask("fast", LONG, fail(Duration::ZERO));
    assert_eq!(describe(failed), "failed no");
    let answer = resident.ask("fast", LONG, || Ok(values("a")));
    assert_eq!(describe(answer), "declared \"a\"");
    for _ in 0..2 {
        let failed = resident.ask("slow", LONG, fail(MIN_DELAY));
        assert_eq!(describe(failed), "failed no");
    }
    let asked = resident.ask("slow", LONG, || Ok(values("a")));
    assert_eq!(describe(asked), "failed no", "it is not asked");
    assert_eq!(changes.load(Ordering::SeqCst), 0);
}

#[test]
fn a_panic_is_a_failure() {
    let (resident, _) = resident();
    let answer = resident.ask("s", LONG, || panic!("expected by the test"));
    assert_eq!(
        describe(answer),
        "failed unexpected failure while a source declared its tools"
    );
}
