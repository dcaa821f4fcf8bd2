//! Sockets: a filter that leaves a process pairs of connected ones, and nothing else.
//!
//! Sockets of the system's own families go, too: a service of the user, such as the session bus
//! or a container engine, would run programs without any of this.

use crate::system_calls::{FilterError, Operation, Rules, condition, refuse, rule};

/// What tells the calls of the x32 interface from those of x86-64, to which one filter applies.
const X32: i64 = 0x4000_0000;

/// Refuses every new socket from now on.
pub fn deny() -> Result<(), FilterError> {
    let family = u64::try_from(libc::AF_UNIX).unwrap_or_default();
    // Besides them, the argument has flags.
    let kinds = Operation::MaskedEq(0xF);
    let kind = |kind: i32| {
        let kind = u64::try_from(kind).unwrap_or_default();
        rule(vec![condition(1, kinds.clone(), kind)?])
    };
    let pairs = vec![
        rule(vec![condition(0, Operation::Ne, family)?])?,
        // Datagrams can be sent to any address.
        kind(libc::SOCK_DGRAM)?,
        kind(libc::SOCK_RAW)?,
    ];
    let mut rules: Rules = [
        (libc::SYS_socket, Vec::new()),
        (libc::SYS_socketpair, pairs),
        // It makes sockets without the calls above.
        (libc::SYS_io_uring_setup, Vec::new()),
    ]
    .into();
    if cfg!(target_arch = "x86_64") {
        let also = rules.clone().into_iter();
        rules.extend(also.map(|(call, rules)| (call | X32, rules)));
    }
    refuse(rules)
}
