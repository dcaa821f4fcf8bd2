//! The loop between a scripted model and the tools of a test.

mod approvals;
mod budgets;
mod calls;
mod endings;
mod long;
mod prompts;
mod recorded;
mod repetition;
mod resume;
mod scene;
mod script;
