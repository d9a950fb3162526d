internal import TextCoding

/// A connection to gpsd, from connecting to its end.
public enum GPSDSession {
    /// The time limits of a session.
    struct Limits: Sendable {
        /// The limit for connecting, including the name servers.
        ///
        /// A host that is there answers within three seconds, even if two packets are lost (RFC 6298: the first is sent
        /// again after one second, the second after two more).
        var connecting = Duration.seconds(10)
        /// The limit for the banner.
        ///
        /// gpsd sends it at once; if it hangs, the kernel still accepts the connection, but no banner follows.
        var banner = Duration.seconds(5)
    }

    /// Connects, watches, and delivers reports until the connection ends or the task is cancelled.
    ///
    /// Reports come in order. Those that arrive together form one batch, which is never empty. Nothing is read while a
    /// batch is being delivered, so a slow consumer costs a few kilobytes here, and gpsd drops what does not fit into
    /// its own buffers. Neither connecting nor waiting blocks a thread. Only the look-up of a name does, on a separate
    /// thread.
    ///
    /// If the task is cancelled, this returns at once, or as soon as the current batch is delivered. The connection is
    /// closed by then. There is no limit for a silent gpsd, because gpsd sends nothing about a receiver that is silent.
    ///
    /// - Throws: ``GPSDError`` if the connection fails, if the server is not gpsd, and when the connection ends, which
    ///   gpsd does not do while it runs.
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
            let connection = try await TCPConnection.connect(
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

    /// Waits for gpsd's banner, or until the task is cancelled.
    private static nonisolated(nonsending) func introduce(
        _ connection: TCPConnection, _ reader: inout GPSDReader, within limit: Duration,
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

    /// Returns the request that makes gpsd send its reports as JSON.
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
