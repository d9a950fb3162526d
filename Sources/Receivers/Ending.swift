import Glibc
import NIOCore
import NIOPosix

/// How a connection ended.
struct Ending: Error, Hashable, Sendable {
    /// Why, as a clause: `refused`.
    var reason: String
    /// Whether it had been opened at all.
    var wasOpened: Bool

    /// A connection that was open ended for this reason.
    static func after(_ reason: String) -> Ending { Ending(reason: reason, wasOpened: true) }

    /// A connection could not be opened for this reason.
    static func before(_ reason: String) -> Ending { Ending(reason: reason, wasOpened: false) }

    /// Nobody answers for longer than this when the other side is there.
    static let connectTimeout = TimeAmount.seconds(10)

    /// What an error of a channel means, as a clause.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: reason(of: error)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason(of: $0.error) } ?? "the host's name cannot be resolved"
        case SocketAddressError.unknown: "the host's name cannot be resolved"
        case ChannelError.connectTimeout: "no answer for \(connectTimeout.nanoseconds / 1_000_000_000) s"
        default: "\(error)"
        }
    }

    private static func reason(of error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "refused"
        case ECONNRESET, EPIPE: "it broke the connection off"
        case ETIMEDOUT: "no answer"
        case EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN: "it cannot be reached"
        case EADDRINUSE: "another program listens there"
        case EADDRNOTAVAIL: "this machine has no such address"
        case EACCES, EPERM: "not permitted"
        case EIO, ENXIO, ENODEV: SerialPort.unplugged
        default: "\(error)"
        }
    }
}

/// Whether whoever hears a connection wants to hear on.
enum Demand: Sendable {
    /// It does.
    case goOn
    /// The receiver has been silent for too long: a connection had better be made anew.
    case silent
    /// It has heard enough.
    case stop
}

/// Who hears what connections bring.
typealias Listener = @Sendable ([Hearing]) -> Reception

/// What a listener makes of what it hears.
enum Reception: Sendable {
    /// It has taken it in.
    case taken(Demand)
    /// It takes it in by this call, which may wait; nothing more is read until it is back.
    case pending(@Sendable () async -> Demand)

    /// Whether the listener wants to hear on, once it has taken it in.
    var demand: Demand {
        get async {
            switch self {
            case .taken(let demand): demand
            case .pending(let take): await take()
            }
        }
    }
}

/// What an operation gives; nil at once where the task is cancelled first.
///
/// The operation is then left to itself, and what it gives in the end is handed to `discard`. This is for calls that
/// can wait long and cannot be cancelled.
func unlessCancelled<Value: Sendable>(
    _ operation: @escaping @Sendable () async -> Value,
    discard: @escaping @Sendable (Value) async -> Void = { _ in }
) async -> Value? {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    Task {
        let value = await operation()
        if case .terminated = continuation.yield(value) { await discard(value) }
        continuation.finish()
    }
    return await stream.first { _ in true }
}
