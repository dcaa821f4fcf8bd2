//! Real hosts: the Gemini CLI of every generation that differs, driven headless.
//!
//! The model is a script that [`cogtools_test_support::FakeGemini`] plays; everything
//! else is what a user runs. What the CLI tells the model, and what it does
//! with an answer, is asserted whole, because that is what a tool meets in practice.

mod answer;
mod connection;
mod declaration;
mod doctor;
mod evals;
mod facepalm;
mod failure;
mod flow;
mod host;
mod permission;
mod plugins;
#[cfg(target_os = "linux")]
mod screen;
mod servers;
mod setup;
mod sources;
mod tutorial;

/// Makes one test per version from functions that take a [`host::Host`].
macro_rules! on_every_version {
    ($($test:ident),+ $(,)?) => {
        on_every_version!(@ oldest OLDEST $($test)+);
        on_every_version!(@ strict STRICT $($test)+);
        on_every_version!(@ newest NEWEST $($test)+);
    };
    (@ $name:ident $version:ident $($test:ident)+) => {
        mod $name {
            $(
                #[test]
                fn $test() {
                    super::$test(&super::Host::new(cogtools_test_support::Version::$version));
                }
            )+
        }
    };
}
use on_every_version;
