//! Work that may take long: the observer of a run is notified every second that it still runs.

use std::pin::pin;
use std::time::Duration;

use tokio::time::timeout;

use crate::observer::{Activity, Observer};

/// How often that is said.
const TICK: Duration = Duration::from_secs(1);

/// Does `work`, and tells `observer` every second that it has not ended.
pub(crate) async fn waiting<F: Future>(work: F, observer: &mut dyn Observer) -> F::Output {
    let mut work = pin!(work);
    loop {
        match timeout(TICK, &mut work).await {
            Ok(output) => return output,
            Err(_) => observer.on(&Activity::Waiting),
        }
    }
}
