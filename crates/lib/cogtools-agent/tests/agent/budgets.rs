//! Budgets end a run before it exceeds them.

use std::time::{Duration, Instant};

use cogtools_agent::{Budget, CallResult, Ledger, Price, Spent, ToolTraits};
use cogtools_log::{BudgetLimit, EndStatus};
use serde_json::json;

use crate::scene::Scene;
use crate::script::{Reply, Step, call, call_part, calls, chunk, result, text};

const UNLIMITED: Budget = Budget {
    turns: None,
    calls: None,
    tokens: None,
    time: None,
    money: None,
};

fn spent(limit: BudgetLimit) -> EndStatus {
    EndStatus::Budget { limit }
}

/// Runs two turns with calls, then an answer; how it ends, and how many replies are left.
fn check(budget: Budget, expected: &EndStatus, left: usize) {
    let mut scene = Scene::new([
        vec![chunk(
            &json!([{"text": "Let me see."}, call_part("a", "echo", &json!({"x": 1}))]),
            Some("STOP"),
        )],
        call("b", "echo", &json!({"x": 2})),
        text("done"),
    ]);
    scene.budget = budget;
    scene.settings.price = Some(Price {
        currency: "EUR".to_owned(),
        input: 0.0,
        cached: 0.0,
        written: 0.0,
        // Five tokens each: one cent for a response.
        output: 2_000.0,
    });
    let end = scene.run("go");
    assert_eq!(
        (&end.status, scene.model.left()),
        (expected, left),
        "{budget:?}"
    );
    let text = ["", "", "Let me see."]
        .get(left)
        .copied()
        .unwrap_or_default();
    let text = if left == 0 { "done" } else { text };
    assert_eq!(end.text, text, "{budget:?}");
}

#[test]
fn a_limit_is_checked_before_each_request() {
    check(UNLIMITED, &EndStatus::Completed, 0);
    for (turns, left) in [(0, 3), (1, 2), (2, 1)] {
        let budget = Budget {
            turns: Some(turns),
            ..UNLIMITED
        };
        check(budget, &spent(BudgetLimit::Turns), left);
    }
    check(
        Budget {
            turns: Some(3),
            ..UNLIMITED
        },
        &EndStatus::Completed,
        0,
    );
    // The first request has about 20 tokens, each response 15, and each later request 10, and 3
    // for the result.
    for (tokens, left) in [(1, 3), (27, 2), (28, 1), (42, 1)] {
        let budget = Budget {
            tokens: Some(tokens),
            ..UNLIMITED
        };
        check(budget, &spent(BudgetLimit::Tokens), left);
    }
    check(
        Budget {
            tokens: Some(43),
            ..UNLIMITED
        },
        &EndStatus::Completed,
        0,
    );
    for (money, left) in [(0.0, 3), (0.01, 2), (0.015, 1)] {
        let budget = Budget {
            money: Some(money),
            ..UNLIMITED
        };
        check(budget, &spent(BudgetLimit::Money), left);
    }
    check(
        Budget {
            money: Some(1.0),
            ..UNLIMITED
        },
        &EndStatus::Completed,
        0,
    );
    let budget = Budget {
        time: Some(Duration::ZERO),
        ..UNLIMITED
    };
    check(budget, &spent(BudgetLimit::Seconds), 3);
}

#[test]
fn money_is_checked_before_it_is_spent() {
    let priced = |input: f64, money: f64| {
        let mut scene = Scene::new([call("a", "echo", &json!({"x": 1})), text("done")]);
        scene.budget.money = Some(money);
        scene.settings.price = Some(Price {
            currency: "EUR".to_owned(),
            input,
            cached: 0.0,
            written: 0.0,
            // Five tokens each: one cent for a response.
            output: 2_000.0,
        });
        scene
    };
    // About twenty tokens: the first request would cost more than there is.
    let mut scene = priced(10_000.0, 0.1);
    assert_eq!(scene.run("go").status, spent(BudgetLimit::Money));
    assert_eq!(scene.model.left(), 2);

    // Of what is left, less than nine tokens can be paid for, and for the rest of the money three.
    let mut scene = priced(0.0, 0.017);
    assert_eq!(scene.run("go").status, EndStatus::Completed);
    assert_eq!(scene.model.limits(), [Some(8), Some(3)]);

    // A limit of the user's own stays, and money without end sets none.
    let mut scene = priced(0.0, 100.0);
    scene.settings.request.generation.max_output_tokens = Some(4);
    scene.run("go");
    assert_eq!(scene.model.limits(), [Some(4), Some(4)]);
    let mut scene = priced(0.0, 100.0);
    scene.run("go");
    assert_eq!(scene.model.limits(), [None, None]);
}

/// The ends of eight agents that run at the same time within `budget`, and what they have spent. A
/// response costs one cent.
fn together(budget: Budget, reply: impl Fn() -> Reply + Sync) -> (Vec<EndStatus>, Spent) {
    let ledger = Ledger::new(budget);
    let run = || {
        let mut scene = Scene::new([reply(), reply()]);
        scene.settings.retry.max_attempts = 1;
        scene.caller = Some(ledger.clone());
        scene.settings.price = Some(Price {
            output: 2_000.0,
            ..Price::default()
        });
        scene.run("go").status
    };
    let ends = std::thread::scope(|scope| {
        let agents: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        let ends = agents
            .into_iter()
            .map(|agent| agent.join().expect("an end"));
        ends.collect()
    });
    (ends, ledger.spent())
}

fn late_answer() -> Reply {
    text("done")
        .into_iter()
        .map(|step| match step {
            Step::Chunk(chunk) => Step::Late(chunk),
            step => step,
        })
        .collect()
}

#[test]
fn agents_that_run_at_the_same_time_do_not_spend_the_same_money() {
    let count = |ends: &[EndStatus], end: &EndStatus| ends.iter().filter(|it| *it == end).count();
    // It pays for one.
    for (budget, limit, completed) in [
        (
            Budget {
                money: Some(0.011),
                ..UNLIMITED
            },
            BudgetLimit::Money,
            1,
        ),
        (
            Budget {
                money: Some(0.03),
                ..UNLIMITED
            },
            BudgetLimit::Money,
            3,
        ),
        (
            Budget {
                turns: Some(3),
                ..UNLIMITED
            },
            BudgetLimit::Turns,
            3,
        ),
    ] {
        let (ends, spent_by_all) = together(budget, late_answer);
        assert_eq!(count(&ends, &EndStatus::Completed), completed, "{ends:?}");
        assert_eq!(count(&ends, &spent(limit)), 8 - completed, "{ends:?}");
        assert_eq!(spent_by_all.turns, completed as u64);
        assert_eq!(spent_by_all.usage.total, 15 * completed as u64);
    }
    // Others may use less than they have reserved: nobody is refused for it, or cut short.
    let enough = Budget {
        money: Some(1.0),
        tokens: Some(10_000),
        ..UNLIMITED
    };
    let (ends, spent_by_all) = together(enough, late_answer);
    assert_eq!(count(&ends, &EndStatus::Completed), 8, "{ends:?}");
    assert!((spent_by_all.money - 0.08).abs() < 1e-9, "{spent_by_all:?}");
}

#[test]
fn a_request_that_fails_gives_back_what_it_has_reserved() {
    let budget = Budget {
        money: Some(0.011),
        ..UNLIMITED
    };
    let (ends, spent_by_all) = together(budget, || vec![Step::Error(400)]);
    let failed = EndStatus::Failed {
        code: "MODEL_FAILED".to_owned(),
    };
    assert_eq!(ends, vec![failed; 8]);
    assert!(spent_by_all.money.abs() < 1e-9, "{spent_by_all:?}");
}

#[test]
fn an_answer_that_the_money_cuts_ends_the_run() {
    let cut = || {
        [vec![chunk(
            &json!([{"text": "The answ"}]),
            Some("MAX_TOKENS"),
        )]]
    };
    let mut scene = Scene::new(cut());
    scene.settings.price = Some(Price {
        output: 2_000.0,
        ..Price::default()
    });
    scene.budget.money = Some(0.011);
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (spent(BudgetLimit::Money), "The answ")
    );
    let mut scene = Scene::new(cut());
    assert_eq!(scene.run("go").status, EndStatus::Completed);
}

#[test]
fn calls_beyond_the_budget_are_answered() {
    // All calls are made, and the model may still answer.
    check(
        Budget {
            calls: Some(2),
            ..UNLIMITED
        },
        &EndStatus::Completed,
        0,
    );
    check(
        Budget {
            calls: Some(1),
            ..UNLIMITED
        },
        &spent(BudgetLimit::Calls),
        1,
    );
    check(
        Budget {
            calls: Some(0),
            ..UNLIMITED
        },
        &spent(BudgetLimit::Calls),
        2,
    );

    let parts = ["a", "b", "c"].map(|id| call_part(id, "echo", &json!({"x": id})));
    let mut scene = Scene::new([calls(&parts), text("done")]);
    scene.budget = Budget {
        calls: Some(2),
        ..UNLIMITED
    };
    assert_eq!(scene.run("go").status, spent(BudgetLimit::Calls));
    assert_eq!(scene.ran().len(), 2);
    scene.budget = UNLIMITED;
    assert_eq!(scene.resume().status, EndStatus::Completed);
    let error = json!({
        "error": "not run: the budget of calls is spent", "code": "BUDGET_SPENT",
    });
    let results = [
        result("a", "echo", &json!({"output": "a"})),
        result("b", "echo", &json!({"output": "b"})),
        result("c", "echo", &error),
    ];
    assert_eq!(scene.last_contents()[2]["parts"], json!(results));
}

#[test]
fn time_ends_a_response_and_what_was_shown_is_kept() {
    let reply = vec![chunk(&json!([{"text": "The answ"}]), None), Step::Hang];
    let mut scene = Scene::new([reply]);
    scene.budget = Budget {
        time: Some(Duration::from_millis(50)),
        ..UNLIMITED
    };
    let end = scene.run("go");
    assert_eq!(
        (end.status, end.text.as_str()),
        (spent(BudgetLimit::Seconds), "The answ")
    );
}

#[test]
fn time_ends_a_call() {
    let mut scene = Scene::new([call("a", "wait", &json!({}))]).tool(
        "wait",
        ToolTraits {
            is_pure: true,
            ..ToolTraits::default()
        },
        |_, cancel| {
            let end = Instant::now() + Duration::from_secs(20);
            while !cancel.is_cancelled() && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(5));
            }
            CallResult::Failed(Vec::new())
        },
    );
    scene.budget = Budget {
        time: Some(Duration::from_millis(200)),
        ..UNLIMITED
    };
    let begin = Instant::now();
    assert_eq!(scene.run("go").status, spent(BudgetLimit::Seconds));
    assert!(begin.elapsed() < Duration::from_secs(10));
    let error = json!({"error": "ended: the time of the run is over"});
    let late = json!({"status": "timed_out", "content": error});
    assert_eq!(scene.results(), [late]);
}

#[test]
fn a_wait_that_is_longer_than_the_run_is_not_begun() {
    let mut scene = Scene::new([vec![Step::Error(503)]]);
    scene.settings.retry.first_wait = Duration::from_mins(1);
    scene.settings.retry.max_wait = Duration::from_mins(1);
    scene.budget = Budget {
        time: Some(Duration::from_secs(20)),
        ..UNLIMITED
    };
    let begin = Instant::now();
    assert_eq!(scene.run("go").status, EndStatus::Unavailable);
    assert!(begin.elapsed() < Duration::from_secs(10));
}
