//! Layers of a request: the turns in each, and the cached ones.

mod history;
mod model;
mod recorded;
mod requests;
