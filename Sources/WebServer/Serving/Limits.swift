import EventStream

extension WebServer {
    /// The bounds of a door.
    public struct Limits: Sendable {
        /// How many connections there may be at once: a bus full of phones, with the six that a browser opens.
        public var connections = 1_024
        /// How many connections one other machine may have.
        var connectionsOfAddress = 64
        /// How many bytes of headers a request may have; browsers send one or two thousand.
        var headerBytes = 16 << 10
        /// How many fields they may have.
        var headerFields = 100
        /// How many bytes of a call a request may have, as a line on the socket may: the interface names 1 MiB.
        var callBytes = 1 << 20
        /// How long a connection may be without a request, or take to say one: browsers keep them for minutes.
        var idle = Duration.seconds(60)
        /// How long the rest of a request may take to come: a megabyte at the pace of a poor mobile network.
        var bodyTime = Duration.seconds(60)
        /// How long a file may take to come: the largest photo at the pace of a poor mobile network.
        var uploadTime = Duration.seconds(900)
        /// How long a call, or batch of calls, may take.
        var callTime = Duration.seconds(60)
        /// How long an answer may take to be read, but for one that goes on.
        var answerTime = Duration.seconds(600)
        /// How many bytes of a body that is not wanted are thrown away, so that its sender is not cut off before it
        /// reads why.
        var lingeringBytes = 1 << 20
        /// For how long that is done.
        var lingering = Duration.seconds(2)
        /// How long requests may take, when the door closes, to be answered.
        public var shutdownGrace = Duration.seconds(2)

        /// The usual bounds.
        public init() {}
    }
}

/// How many connections there are, and whose.
struct ConnectionPlaces {
    private let most: Int
    private let mostOfAddress: Int
    private var taken = 0
    private var ofAddress: [IPAddress: Int] = [:]

    /// None taken.
    init(_ limits: WebServer.Limits) {
        most = limits.connections
        mostOfAddress = limits.connectionsOfAddress
    }

    /// Takes a place; false where there is none for that address.
    ///
    /// This machine itself has no bound of its own: a server in front of the door brings everybody's.
    mutating func take(for address: IPAddress) -> Bool {
        guard taken < most, address.isLoopback || ofAddress[address] ?? 0 < mostOfAddress else { return false }
        taken += 1
        ofAddress[address, default: 0] += 1
        return true
    }

    /// Gives a place back.
    mutating func give(backOf address: IPAddress) {
        taken -= 1
        let left = (ofAddress[address] ?? 1) - 1
        ofAddress[address] = left > 0 ? left : nil
    }
}

/// Does something within a time.
///
/// - Returns: nil where it took longer; it is cancelled then.
/// - Throws: what `body` throws.
func within<Value: Sendable>(
    _ time: Duration, _ clock: any Clock<Duration>, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await clock.sleep(for: time)
            return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
    }
}
