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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
