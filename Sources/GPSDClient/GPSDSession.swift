internal import TextCoding

/// One connection to a gpsd.
public enum GPSDSession {
    /// How long things may take.
    struct Limits: Sendable {
        /// For the name servers and for each side of the network; a host that is there answers within three seconds,
        /// two lost packets included (RFC 6298: the first is sent again after one second, the second after two more).
        var connecting = Duration.seconds(10)
        /// gpsd says who it is at once; a hung one is connected to by the kernel, and says nothing.
        var banner = Duration.seconds(5)
    }

    /// Connects, watches, and delivers what gpsd says until the connection ends or the task is cancelled.
    ///
    /// Reports come in order, those that came together in one batch, never an empty one. While a batch is delivered
    /// nothing is read, so that a slow consumer costs a few kilobytes here, and gpsd drops what does not fit into its
    /// own buffers. Nothing blocks a thread, neither connecting nor waiting; only the look-up of a name does, on a
    /// thread of its own.
    ///
    /// It returns when the task is cancelled: at once, or as soon as the batch being delivered is. The connection is
    /// closed by then. A silent gpsd is waited for without end: it does not tell of a receiver that says nothing.
    ///
    /// - Throws: ``GPSDError`` where nothing can be connected to, where what answers is no gpsd, and when the
    ///   connection ends, which it never does of itself while gpsd runs.
    /// - SeeAlso: gpsd_json(5).
    public static nonisolated(nonsending) func run(
        _ address: GPSDAddress, deliver: ([GPSDReport]) async -> Void
    ) async throws(GPSDError) {
        try await run(address, limits: Limits(), deliver: deliver)
    }

    static nonisolated(nonsending) func run(
        _ address: GPSDAddress, limits: Limits, deliver: ([GPSDReport]) async -> Void
    ) async throws(GPSDError) {
        guard
            let connection = try await Connection.connect(
                to: address.host, port: address.port, within: limits.connecting)
        else { return }
        var reader = try GPSDReader(device: address.device)
        try connection.send(request(for: address.device))
        try await introduce(connection, &reader, within: limits.banner, deliver)
        while !Task.isCancelled {
            if let bytes = try connection.receive() {
                guard !bytes.isEmpty else { throw .ended }
                try await read(bytes, &reader, deliver)
            } else {
                await connection.waitForBytes()
            }
        }
    }

    /// Waits for gpsd's banner, or for the task to be cancelled.
    private static nonisolated(nonsending) func introduce(
        _ connection: Connection, _ reader: inout GPSDReader, within limit: Duration,
        _ deliver: ([GPSDReport]) async -> Void
    ) async throws(GPSDError) {
        let deadline = ContinuousClock.now + limit
        while !reader.hasBanner, !Task.isCancelled {
            if let bytes = try connection.receive() {
                guard !bytes.isEmpty else { throw .endedEarly }
                try await read(bytes, &reader, deliver)
            } else if await !connection.wait(for: .readable, before: deadline), !Task.isCancelled {
                throw .noBanner(within: limit)
            }
        }
    }

    private static nonisolated(nonsending) func read(
        _ bytes: [UInt8], _ reader: inout GPSDReader, _ deliver: ([GPSDReport]) async -> Void
    ) async throws(GPSDError) {
        var reports: [GPSDReport] = []
        try reader.feed(bytes.span, into: &reports)
        if !reports.isEmpty { await deliver(reports) }
    }

    /// What asks gpsd for its reports as JSON.
    static func request(for device: String?) -> [UInt8] {
        var json = JSONWriter()
        json.object {
            $0.member("enable", true)
            $0.member("json", true)
            $0.member("device", device)
        }
        return Array("?WATCH=".utf8) + json.bytes + Array(";\n".utf8)
    }
}
