import Glibc
import NIOCore
import NIOPosix

/// The end of a connection, or of an attempt to open one.
struct ConnectionEnd: Error, Hashable, Sendable {
    /// The reason, as a clause: `refused`.
    var reason: String
    /// Whether the connection had been opened.
    var wasOpened: Bool

    /// Returns the ending of an open connection.
    static func after(_ reason: String) -> ConnectionEnd { ConnectionEnd(reason: reason, wasOpened: true) }

    /// Returns the ending of an attempt to open a connection.
    static func before(_ reason: String) -> ConnectionEnd { ConnectionEnd(reason: reason, wasOpened: false) }

    /// The time after which an attempt to connect fails.
    ///
    /// A host that is there answers sooner.
    static let connectTimeout = TimeAmount.seconds(10)

    /// Returns the meaning of a channel's error, as a clause.
    static func reason(of error: any Error) -> String {
        switch error {
        case let error as IOError: reason(of: error)
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason(of: $0.error) } ?? "the host name cannot be resolved"
        case SocketAddressError.unknown: "the host name cannot be resolved"
        case ChannelError.connectTimeout: "no answer within \(connectTimeout.nanoseconds / 1_000_000_000) s"
        default: "\(error)"
        }
    }

    private static func reason(of error: IOError) -> String {
        switch error.errnoCode {
        case ECONNREFUSED: "refused"
        case ECONNRESET, EPIPE: "it reset the connection"
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

/// Whether a listener wants to receive more from a connection.
enum Demand: Sendable {
    /// It wants more.
    case goOn
    /// The receiver has been silent for too long, and a new connection should be made.
    case silent
    /// It has received enough.
    case stop
}

/// A function that receives the input of connections.
typealias Listener = @Sendable ([ReceiverInput]) -> ListenerResponse

/// A listener's answer to input.
enum ListenerResponse: Sendable {
    /// The listener has processed the input.
    case taken(Demand)
    /// The listener processes the input by this call, which may wait.
    ///
    /// Nothing more is read until it returns.
    case pending(@Sendable () async -> Demand)

    /// Whether the listener wants more, once it has processed the input.
    var demand: Demand {
        get async {
            switch self {
            case .taken(let demand): demand
            case .pending(let receive): await receive()
            }
        }
    }
}

/// Returns the result of an operation, or `nil` as soon as the task is cancelled.
///
/// After cancellation the operation continues on its own, and `discard` receives its result. This is for calls that may
/// take long and cannot be cancelled.
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
