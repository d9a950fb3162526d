import EventStream

extension WebServer {
    /// The limits of a server.
    public struct Limits: Sendable {
        /// The most connections at once: a bus full of phones, with six for each browser.
        public var connections = 1_024
        /// The most connections from one other machine.
        var connectionsOfAddress = 64
        /// The most bytes of headers in a request; browsers send one or two thousand.
        var headerBytes = 16 << 10
        /// The most header fields in a request.
        var headerFields = 100
        /// The most bytes of a call, as for a line on the socket: the interface documents 1 MiB.
        var callBytes = 1 << 20
        /// The longest time without a request, or for sending its headers; browsers keep connections open for minutes.
        var idle = Duration.seconds(60)
        /// The longest time for the body of a call: a megabyte on a poor mobile network.
        var bodyTime = Duration.seconds(60)
        /// The longest time for an upload: the largest photo on a poor mobile network.
        var uploadTime = Duration.seconds(900)
        /// The longest time for a call or a batch of calls.
        var callTime = Duration.seconds(60)
        /// The longest time for a client to read an answer that is not a stream.
        var answerTime = Duration.seconds(600)
        /// The most bytes of an unwanted body to discard, so that the sender is not cut off before it reads the answer.
        var lingeringBytes = 1 << 20
        /// The longest time to discard an unwanted body.
        var lingering = Duration.seconds(2)
        /// The longest time to finish requests when the server closes.
        public var shutdownGrace = Duration.seconds(2)

        /// Creates the default limits.
        public init() {}
    }
}

/// The numbers of open connections, in all and by address.
struct ConnectionSlots {
    private let most: Int
    private let maximumPerAddress: Int
    private var taken = 0
    private var ofAddress: [IPAddress: Int] = [:]

    /// Creates a count of no connections.
    init(_ limits: WebServer.Limits) {
        most = limits.connections
        maximumPerAddress = limits.connectionsOfAddress
    }

    /// Takes a place for a connection from an address; `false` if there is none.
    ///
    /// This machine itself has no limit of its own, because a server in front of this one forwards the connections of
    /// everybody.
    mutating func take(for address: IPAddress) -> Bool {
        guard taken < most, address.isLoopback || ofAddress[address] ?? 0 < maximumPerAddress else { return false }
        taken += 1
        ofAddress[address, default: 0] += 1
        return true
    }

    /// Releases the place of a connection from an address.
    mutating func release(for address: IPAddress) {
        taken -= 1
        let left = (ofAddress[address] ?? 1) - 1
        ofAddress[address] = left > 0 ? left : nil
    }
}
