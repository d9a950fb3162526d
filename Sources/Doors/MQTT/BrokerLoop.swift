internal import CMosquitto
import Glibc

/// The life of one connection, on a thread of its own, which alone calls the library.
///
/// It waits with `poll`. The library's own loops wait with `select`, which takes no descriptor above 1,023, and a daemon with
/// many callers has more of them.
struct BrokerLoop {
    let client: BrokerClient
    let orders: BrokerOrders
    let inbox: BrokerInbox

    /// The longest time for the last messages and the farewell.
    private static let farewell = Duration.seconds(2)

    /// Opens the connection, and serves it until it ends or no orders will come any more.
    func run() {
        Self.ignoreBrokenPipes()
        guard client.connect() else { return }
        while client.isOpen {
            let (next, isClosed) = orders.drain()
            for order in next { client.carryOut(order) }
            if isClosed { return sayGoodbye() }
            turn(for: client.silence, until: orders.bell)
        }
        client.end(BrokerEnd(code: MOSQ_ERR_CONN_LOST.rawValue))
    }

    /// Ends the connection such that the broker publishes no will.
    private func sayGoodbye() {
        // The farewell would follow the acknowledgement of a message that nobody has taken.
        guard client.isAccepted, !inbox.isHolding else { return }
        client.disconnect()
        let end = ContinuousClock.now + Self.farewell
        // The library closes the socket when it has sent the farewell.
        while client.isOpen, case let left = end - .now, left > .zero { turn(for: left, until: -1, reads: false) }
    }

    /// Waits until the broker has something, or takes something, or the bell rings, and serves the broker.
    ///
    /// - Parameters:
    ///   - bell: A descriptor that ends the wait when it is readable; a negative one never does.
    ///   - reads: Whether to read at all.
    private func turn(for time: Duration, until bell: Int32, reads: Bool = true) {
        let mayRead = reads && inbox.isEmpty
        var wanted: Int16 = mayRead ? Int16(POLLIN) : 0
        if !inbox.isHolding, client.wantsToWrite { wanted |= Int16(POLLOUT) }
        var requests = [
            // Without anything to wait for, the end of the connection is noticed later.
            pollfd(fd: wanted == 0 ? -1 : client.socket, events: wanted, revents: 0),
            pollfd(fd: bell, events: Int16(POLLIN), revents: 0),
        ]
        // A part of a millisecond is a whole one, so that what was due is due after the wait.
        let (seconds, fraction) = time.components
        let milliseconds = Int32(clamping: seconds * 1000 + fraction / 1_000_000_000_000_000 + 1)
        // poll writes only into the requests, whose number it is told.
        if unsafe poll(&requests, nfds_t(requests.count), milliseconds) < 0, errno != EINTR, errno != EAGAIN {
            return client.end(BrokerEnd(code: MOSQ_ERR_ERRNO.rawValue, system: errno))
        }
        let events = requests[0].revents
        // In a handshake of TLS, reading also writes. Otherwise it fails at once when there is nothing.
        if events != 0, mayRead || events & ~Int16(POLLOUT) != 0 { client.read() }
        if events & Int16(POLLOUT) != 0, !inbox.isHolding { client.write() }
        client.keepAlive()
        // The library may take an end in a handshake for something to wait for.
        if events & ~Int16(POLLOUT) != 0, client.isOpen, Self.isAtEnd(client.socket) {
            client.end(BrokerEnd(code: MOSQ_ERR_CONN_LOST.rawValue))
        }
    }

    /// Whether nothing more can be read from a socket, now and later.
    private static func isAtEnd(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        // recv writes at most the one byte.
        let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
        return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)
    }

    /// Makes a lost connection an error on this thread; otherwise it would be a signal that ends the process.
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        // The functions fill and read the set of this frame.
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
