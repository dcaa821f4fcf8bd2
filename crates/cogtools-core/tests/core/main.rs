//! What a tool is, asserted in the words that programs print.

mod attack;
mod capability;
mod diagnostic;
mod document;
mod dotenv;
mod environment;
mod expansion;
mod file;
mod key;
mod keyword;
mod name;
mod output;
mod process;
mod reference;
mod scalar;
mod spelling;
mod syntax;
mod violation;
mod way;
mod wording;
mod write;
