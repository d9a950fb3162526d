import Glibc

/// A non-blocking TCP connection.
///
/// Releasing it closes the descriptor. This file contains the system calls; each `unsafe` passes an array or a local
/// variable with its true length to a call that reads or fills it before it returns.
final class TCPConnection: Sendable {
    /// The greatest number of bytes received at once: several seconds of a busy receiver.
    private static let pieceLength = 16_384

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Connects to a host.
    ///
    /// Returns `nil` if the task is cancelled.
    ///
    /// The host's addresses are tried one after another, each for an equal share of the remaining time.
    ///
    /// - Throws: ``GPSDError`` if the host cannot be found, or none of its addresses accepts the connection in time.
    static nonisolated(nonsending) func connect(
        to host: String, port: UInt16, within limit: Duration
    ) async throws(GPSDError) -> TCPConnection? {
        let deadline = ContinuousClock.now + limit
        guard let lookup = await value(before: deadline, of: { await HostLookup.addresses(of: host, port: port) })
        else {
            if Task.isCancelled { return nil }
            throw GPSDError("the name servers did not resolve the host \(host)")
        }
        // The look-up is `nil` if the task was cancelled.
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
    ) async throws(GPSDError) -> TCPConnection {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw failure(errno) }
        let connection = TCPConnection(descriptor: descriptor)
        let result = unsafe address.bytes.withUnsafeBytes { bytes in
            // The bytes are a sockaddr of this family.
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

    /// Sends a few bytes on a new connection, which the system accepts at once.
    ///
    /// MSG_NOSIGNAL turns a closed connection into an error. Otherwise SIGPIPE would end the process.
    func send(_ bytes: [UInt8]) throws(GPSDError) {
        let count = unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count >= 0 else { throw Self.failure(errno) }
        guard count == bytes.count else { throw GPSDError("it does not read what is sent to it") }
    }

    /// Returns the bytes that have arrived: `nil` if there are none yet, and an empty array at the end.
    func receive() throws(GPSDError) -> [UInt8]? {
        var failure: Int32 = 0
        // recv fills at most the given capacity, and returns how many bytes it has filled.
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

    /// Waits until bytes arrive, the connection ends or the task is cancelled.
    nonisolated(nonsending) func waitForBytes() async { await Readiness.readable.wait(descriptor) }

    /// Waits until the connection is ready, but no longer than the deadline.
    ///
    /// Returns `false` if it was not ready in time.
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
        case ETIMEDOUT: return GPSDError("no answer")
        default:
            // strerror returns a valid string for every number, and it is copied at once.
            let words = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
            return GPSDError("it cannot be reached: \(words)")
        }
    }
}
