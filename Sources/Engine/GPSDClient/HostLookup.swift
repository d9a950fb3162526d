import Dispatch
import Glibc
import Synchronization

/// The socket address of a host, with a port.
struct SocketAddress: Sendable {
    /// The address family, AF_INET or AF_INET6.
    let family: Int32
    /// A `sockaddr` of this family.
    let bytes: [UInt8]
}

/// Looks up a host's addresses without blocking the caller.
///
/// `getaddrinfo` blocks until the name servers answer, and it cannot be cancelled. It therefore runs on a separate
/// thread. If the caller stops waiting, the thread ends later by itself and drops its answer. It holds nothing else.
enum HostLookup {
    /// Returns the addresses of a host in the order in which to try them, or `nil` if the task is cancelled.
    static func addresses(of host: String, port: UInt16) async -> Result<[SocketAddress], GPSDError>? {
        // A numeric address needs no look-up.
        if case .success(let addresses) = ask(host, port, flags: AI_NUMERICHOST) { return .success(addresses) }
        let answer = Answer()
        let queue = DispatchQueue(label: "waymark.gpsd.lookup")
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                queue.async {
                    var found = ask(host, port)
                    // localhost is this machine, even if no file and no server says so (RFC 6761, section 6.3).
                    if case .failure = found, host == "localhost" {
                        found = ask("127.0.0.1", port, flags: AI_NUMERICHOST)
                    }
                    answer.give(found)
                }
            }
        } onCancel: {
            answer.give(nil)
        }
    }

    /// A cell for the first answer, which may come before or after the caller starts to wait.
    private final class Answer: Sendable {
        typealias Value = Result<[SocketAddress], GPSDError>?

        private enum State {
            case open
            case awaited(CheckedContinuation<Value, Never>)
            case given(Value)
            case done
        }

        private let state = Mutex(State.open)

        func wait(_ continuation: CheckedContinuation<Value, Never>) {
            let early: Value? = state.withLock { state in
                guard case .given(let value) = state else {
                    state = .awaited(continuation)
                    return .none
                }
                state = .done
                return .some(value)
            }
            if let early { continuation.resume(returning: early) }
        }

        func give(_ value: Value) {
            let waiting: CheckedContinuation<Value, Never>? = state.withLock { state in
                switch state {
                case .open: state = .given(value)
                case .awaited(let continuation):
                    state = .done
                    return continuation
                case .given, .done: break
                }
                return nil
            }
            waiting?.resume(returning: value)
        }
    }

    private static func ask(_ host: String, _ port: UInt16, flags: Int32 = 0) -> Result<[SocketAddress], GPSDError> {
        // The strings are read during the call. The list it returns belongs to this function until freeaddrinfo, and is
        // copied.
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | flags
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { return .failure(failure(status, host)) }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            // ai_addr has ai_addrlen bytes.
            let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen)))
            unsafe addresses.append(SocketAddress(family: entry.ai_family, bytes: bytes))
            unsafe next = entry.ai_next
        }
        return .success(addresses)
    }

    private static func failure(_ status: Int32, _ host: String) -> GPSDError {
        switch status {
        case EAI_NONAME: return GPSDError("there is no host called \(host)")
        case EAI_AGAIN: return GPSDError("the name servers did not resolve the host \(host)")
        default:
            // gai_strerror returns a valid string for every number, and it is copied at once.
            let words = unsafe gai_strerror(status).map { unsafe String(cString: $0) } ?? "error \(status)"
            return GPSDError("the host \(host) cannot be looked up: \(words)")
        }
    }
}
