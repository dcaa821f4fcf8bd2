//! Editors, real and false, asked for what they show.

#![cfg(unix)]

mod companions;
mod discovery;
mod emacs;
mod fixture;
mod hostile;
mod neovim;
mod neovim_proposals;
mod snapshot;
