//! Statements of databases, and what they do to the data.

use super::deed::Deed;

/// What can be created and dropped.
const OBJECTS: [&str; 10] = [
    "TABLE", "DATABASE", "INDEX", "VIEW", "SCHEMA", "USER", "ROLE", "COLUMN", "TRIGGER", "TYPE",
];

/// What a text that contains SQL does; nothing for a query.
pub(crate) fn of_sql(text: &str) -> Option<Deed> {
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    let has = |verb: &str, objects: &[&str]| {
        let mut pairs = words.windows(2);
        pairs.any(|pair| pair[0] == verb && objects.contains(&pair[1]))
    };
    if has("DELETE", &["FROM"]) || has("DROP", &OBJECTS) || has("TRUNCATE", &["TABLE"]) {
        return Some(Deed::Destroys);
    }
    let is_update = words.first() == Some(&"UPDATE") && words.contains(&"SET");
    let changes = has("INSERT", &["INTO", "OR"])
        || has("REPLACE", &["INTO"])
        || has("CREATE", &OBJECTS)
        || has("ALTER", &OBJECTS)
        || is_update;
    changes.then_some(Deed::Changes)
}

/// What a command of Redis does.
pub(crate) fn of_redis(word: &str) -> Option<Deed> {
    match word.to_ascii_uppercase().as_str() {
        "DEL" | "FLUSHALL" | "FLUSHDB" | "GETDEL" | "HDEL" | "LPOP" | "RPOP" | "SREM"
        | "UNLINK" => Some(Deed::Destroys),
        "APPEND" | "DECR" | "EXPIRE" | "HSET" | "INCR" | "LPUSH" | "MSET" | "PUBLISH"
        | "RENAME" | "RPUSH" | "SADD" | "SET" | "SETEX" | "XADD" | "ZADD" => Some(Deed::Changes),
        _ => None,
    }
}
