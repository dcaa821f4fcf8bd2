//! A network of its own: a loopback interface, on which a proxy listens, and nothing else.

use std::io;
use std::net::{Ipv4Addr, TcpListener};

use nix::sched::{CloneFlags, unshare};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};

/// `struct nlmsghdr` and `struct ifinfomsg` of netlink(7) and rtnetlink(7), in the order of bytes of
/// the machine: sets the flag `IFF_UP` of the interface 1, which is the loopback.
struct Request;

impl Request {
    const LENGTH: u32 = 32;
    const NEW_LINK: u16 = 16;
    /// `NLM_F_REQUEST` and `NLM_F_ACK`.
    const FLAGS: u16 = 1 | 4;
    const INDEX: i32 = 1;
    const UP: u32 = 1;

    fn bytes() -> Vec<u8> {
        let (sequence, port) = (1_u32, 0_u32);
        [
            &Self::LENGTH.to_ne_bytes()[..],
            &Self::NEW_LINK.to_ne_bytes(),
            &Self::FLAGS.to_ne_bytes(),
            &sequence.to_ne_bytes(),
            &port.to_ne_bytes(),
            // The family, a byte between, and the kind of device.
            &[0; 4],
            &Self::INDEX.to_ne_bytes(),
            &Self::UP.to_ne_bytes(),
            &Self::UP.to_ne_bytes(),
        ]
        .concat()
    }
}

/// The place of the error in an answer, after its header.
const ERROR: std::ops::Range<usize> = 16..20;

/// Puts the calling thread into a network of its own, and listens there.
///
/// # Errors
///
/// The system forbids it. The thread may be in the new network then.
pub(crate) fn enter() -> io::Result<TcpListener> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    // Protocol 0 is `NETLINK_ROUTE`.
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None)?;
    send(&socket, &Request::bytes(), SendFlags::empty())?;
    let mut answer = [0; 64];
    let (count, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    let error = answer.get(..count).and_then(|answer| answer.get(ERROR));
    let error = error.and_then(|error| error.try_into().ok());
    match error.map(i32::from_ne_bytes) {
        Some(0) => {}
        Some(error) => return Err(io::Error::from_raw_os_error(-error)),
        None => return Err(io::ErrorKind::UnexpectedEof.into()),
    }
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
}
