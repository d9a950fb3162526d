import Glibc

/// A TCP connection of which nothing blocks.
///
/// The descriptor is closed with it. This file holds the system calls; each `unsafe` hands an array or a local variable
/// to a call that reads or fills it before it returns, with its true length.
final class Connection: Sendable {
    /// What is taken from the system at once: several seconds of a busy receiver.
    private static let pieceLength = 16_384

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a host; nil where the task was cancelled.
    ///
    /// The host's addresses are tried one after another, each for its share of the time.
    static nonisolated(nonsending) func connect(
        to host: String, port: UInt16, within limit: Duration
    ) async throws(GPSDError) -> Connection? {
        let deadline = ContinuousClock.now + limit
        guard let lookup = await value(before: deadline, of: { await HostLookup.addresses(of: host, port: port) })
        else {
            if Task.isCancelled { return nil }
            throw GPSDError("the name servers did not say where \(host) is")
        }
        // Nil where it was cancelled.
        guard var addresses = try lookup?.get() else { return nil }
        var failure = GPSDError("the host \(host) has no address")
        while let address = addresses.first, !Task.isCancelled {
            let share = (deadline - .now) / addresses.count
            do throws(GPSDError) {
                return try await connect(to: address, before: .now + share, limit: limit)
            } catch {
                failure = error
            }
            addresses.removeFirst()
        }
        if Task.isCancelled { return nil }
        throw failure
    }

    private static nonisolated(nonsending) func connect(
        to address: SocketAddress, before deadline: ContinuousClock.Instant, limit: Duration
    ) async throws(GPSDError) -> Connection {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw failure(errno) }
        let connection = Connection(descriptor: descriptor)
        let result = unsafe address.bytes.withUnsafeBytes { bytes in
            // The bytes are those of a sockaddr of the family.
            unsafe Glibc.connect(
                descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
        }
        if result == 0 { return connection }
        guard errno == EINPROGRESS else { throw failure(errno) }
        guard await connection.wait(for: .writable, before: deadline) else { throw .noConnection(within: limit) }
        var number: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 else { throw failure(errno) }
        guard number == 0 else { throw failure(number) }
        return connection
    }

    /// Sends a few bytes on a fresh connection, of which the system takes some kilobytes at once.
    ///
    /// MSG_NOSIGNAL: a connection that has ended is an error, and no SIGPIPE, which would end the process.
    func send(_ bytes: [UInt8]) throws(GPSDError) {
        let count = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count >= 0 else { throw Self.failure(errno) }
        guard count == bytes.count else { throw GPSDError("it does not read what it is sent") }
    }

    /// The bytes that have come; nil where none have yet, and none of them at the end.
    func receive() throws(GPSDError) -> [UInt8]? {
        var failure: Int32 = 0
        // recv fills at most the capacity that it is told, and what it says it has filled is taken.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Self.pieceLength) { buffer, count in
            let result = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if result < 0 { failure = errno }
            count = max(0, result)
        }
        switch failure {
        case 0: return bytes
        case EAGAIN, EINTR: return nil
        default: throw Self.failure(failure)
        }
    }

    /// Waits until bytes have come, or the end, or the task is cancelled.
    nonisolated(nonsending) func waitForBytes() async { await Readiness.readable.wait(descriptor) }

    /// Waits likewise, but not for ever; false where the time is over.
    nonisolated(nonsending) func wait(
        for readiness: Readiness, before deadline: ContinuousClock.Instant
    ) async -> Bool {
        await value(before: deadline) {
            await readiness.wait(self.descriptor)
            return true
        } ?? false
    }

    private static func failure(_ number: Int32) -> GPSDError {
        switch number {
        case ECONNREFUSED: return GPSDError("it refused the connection")
        case ECONNRESET, EPIPE: return .ended
        case ETIMEDOUT: return GPSDError("nothing answered")
        default:
            // strerror gives a valid string for every number; it is copied at once.
            let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            return GPSDError("it cannot be reached: \(words)")
        }
    }
}
