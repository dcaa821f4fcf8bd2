//! Words of the trade that mean the same, or nearly: what people ask for, and how tools are
//! named.

use std::collections::BTreeMap;

use super::stem::stem;

/// Words that can stand for each other.
const GROUPS: &[&str] = &[
    "create make add new insert register",
    "create write",
    "create submit",
    "delete remove drop erase destroy discard forget",
    "uninstall remove delete",
    "install create deploy",
    "get show read display view list fetch retrieve see print",
    "list which show",
    "get what",
    "read content text",
    "scrape content website",
    "update change edit modify patch alter replace set",
    "find search look query locate lookup",
    "run execute exec",
    "start launch begin trigger play",
    "stop cancel abort kill end terminate halt",
    "navigate go visit open",
    "open create",
    "screenshot picture image photo capture shot",
    "click press tap hit",
    "issue ticket bug task report defect",
    "approve accept review",
    "review feedback",
    "label tag category",
    "comment remark note reply annotation",
    "reply answer respond thread",
    "message send post",
    "channel room",
    "user member people person account who",
    "profile email details",
    "member access",
    "log output",
    "container pod",
    "rollout rollback undo revert restore previous",
    "replica scale resize",
    "collection table",
    "document record row entry",
    "network http",
    "request call",
    "website page site url web link",
    "paper article publication scientific literature",
    "build pipeline ci job",
    "job log",
    "save write store",
    "rename move",
    "size big large",
    "tree structure recursive hierarchy",
    "select choose pick dropdown",
    "option dropdown",
    "dialog popup alert modal",
    "tab page",
    "performance speed fast slow measure",
    "explain slow",
    "index speed",
    "aggregate sum total average group",
    "schedule nightly daily cron recurring periodic",
    "artifact produced file",
    "download get fetch save",
    "upload attach",
    "diff change",
    "blame wrote author",
    "todo notification task",
    "memory remember knowledge",
    "observation remember fact",
    "graph know knowledge",
    "node entity person",
    "environment staging stage",
    "deploy release",
    "image picture",
    "calendar event meeting appointment",
    "email mail",
    "invoice bill",
    "payment charge pay",
    "customer client",
    "folder directory",
    "block paragraph",
    "page note document",
    "reaction emoji thumb",
    "member team",
    "crawl download site",
    "monitor watch track observe",
    "protect prevent lock guard",
    "milestone release plan due",
    "wiki documentation",
    "merge land combine squash",
    "status check state pass",
    "emulate simulate throttle pretend",
    "resize window smaller bigger",
    "fill enter type input",
    "schema field structure type",
    "context cluster switch",
    "apply manifest yaml",
    "drain node worker maintenance",
    "release chart",
    "secret password credential token",
    "variable env setting config configuration",
    "disk file local",
    "branch ref",
    "commit change history",
    "instance vm machine server",
    "bucket storage object",
    "stream queue topic",
    "weather forecast temperature",
    "map place location address directions",
    "translate language",
    "quote price stock",
    "contact customer lead",
    "database db",
    "warn notify alert",
    "internet web online",
    "compose write send mail",
    "money payment refund price",
    "deadline due date",
];

/// What several words mean together.
const PHRASES: &[(&str, &str)] = &[
    ("pr", "pull request merge"),
    ("prs", "pull request merge"),
    ("mr", "merge request"),
    ("roll back", "rollout undo rollback"),
    ("go to", "navigate"),
    ("go back", "back"),
    ("look up", "search get"),
    ("log in", "login authenticate"),
    ("sign in", "login authenticate"),
    ("who wrote", "blame author"),
    ("speed up", "index performance"),
    ("how many", "count number"),
    ("how big", "size"),
    ("how fast", "performance"),
    ("how long", "duration time"),
    ("thumbs up", "reaction"),
    ("what changed", "diff change"),
    ("turn off", "disable stop"),
    ("turn on", "enable start"),
    ("kick off", "start trigger"),
    ("set up", "create configure"),
    ("get rid", "delete remove"),
    ("clean up", "cleanup delete"),
    ("for review", "pull merge request create open submit"),
    ("what time", "time current"),
    ("wait for", "wait"),
    ("k8s", "kubernetes"),
    ("repo", "repository"),
    ("docs", "documentation"),
    ("scientific articles", "paper research"),
    ("money back", "refund payment"),
    ("to do", "todo"),
    ("let me know", "alert notify"),
    ("tell me when", "monitor alert"),
];

/// Words that say nothing about what a tool does.
const STOP_WORDS: &str = "\
    a about all an and any are as at be been by can could did do does e etc every for from g \
    given had has have he how i if in into is it its let me my no not of on one or our out \
    please s she should so some such t than that the their then there these this those to up \
    us use used using via was we were what when where which who whom whose why will with would \
    you your";

/// Whether `word` says nothing about what a tool does.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.split(' ').any(|stop| stop == word)
}

/// For each stem, those of the other words in its groups.
pub(super) fn synonyms() -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for group in GROUPS {
        let stems: Vec<String> = group.split(' ').map(stem).collect();
        for one in &stems {
            let others = stems.iter().filter(|other| *other != one);
            let known = all.entry(one.clone()).or_default();
            for other in others {
                if !known.contains(other) {
                    known.push(other.clone());
                }
            }
        }
    }
    all
}

/// The stems of what the phrases in `words` mean.
pub(super) fn meanings(words: &[String]) -> Vec<String> {
    let is_in = |phrase: &str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    };
    let found = PHRASES.iter().filter(|(phrase, _)| is_in(phrase));
    found
        .flat_map(|(_, meaning)| meaning.split(' '))
        .map(stem)
        .collect()
}
