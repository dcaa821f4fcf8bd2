//! Programs that call tools, killed at random moments.

#[test]
fn a_program_goes_on_after_300_deaths() {
    crate::code::resuming::kill_at_random(300);
}
