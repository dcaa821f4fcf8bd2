//! The core's behaviour, asserted on the text that programs print.

mod environment;
mod limits;
mod support;

mod schema {
    mod expand;
    mod format;
    mod keyword;
    mod message;
    mod pattern;
    mod reference;
    mod types;
    mod violation;
}

mod tool {
    mod capability;
    mod example;
    mod implementation;
    mod key;
    mod output;
    mod parse;
}

mod yaml {
    mod error;
    mod flow;
    mod loader;
    mod scalar;
    mod slip;
}
