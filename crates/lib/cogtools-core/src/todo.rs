//! The list of things to do, which a model writes for itself.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    /// A short description.
    pub title: String,
    /// The progress.
    #[serde(default)]
    pub status: TodoStatus,
}

/// The progress of a thing to do.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum TodoStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Begun.
    InProgress,
    /// Done.
    Completed,
}

/// The list of a session, in memory. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct TodoList(Arc<Mutex<Vec<Todo>>>);

impl TodoStatus {
    /// All, in the order of work.
    pub const ALL: [Self; 3] = [Self::Pending, Self::InProgress, Self::Completed];

    /// Its name in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl TodoList {
    /// The list as it is.
    pub fn get(&self) -> Vec<Todo> {
        self.lock().clone()
    }

    /// Replaces the whole list.
    pub fn set(&self, todos: Vec<Todo>) {
        *self.lock() = todos;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Todo>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_has_its_name_in_json() {
        for status in TodoStatus::ALL {
            let json = serde_json::to_value(status).expect("it has a name");
            assert_eq!(json, status.as_str());
        }
    }
}
