//! Sessions in files: written, cut off, continued, attacked and stored.

mod attacks;
mod blobs;
mod clock;
mod index;
mod killed;
mod lines;
mod plan_events;
mod prompt;
mod scene;
mod store;
mod torn;
mod write;
