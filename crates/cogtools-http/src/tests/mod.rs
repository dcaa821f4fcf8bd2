//! Tests against servers on this machine that do everything wrong.
