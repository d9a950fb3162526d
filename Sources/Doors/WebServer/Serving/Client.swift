import HummingbirdCore
import NIOCore

/// An HTTP request; `Request` is a request of JSON-RPC.
typealias WebRequest = HummingbirdCore.Request

/// The sender of a request, as far as its connection identifies it.
struct Client: Sendable {
    /// The number of the connection, unique in the process.
    let number: Int
    /// The address at the other end.
    let address: IPAddress
    /// The channel of the connection.
    let channel: any Channel
    /// Called with what the requests show about the connection.
    private let note: @Sendable (Note) -> Void

    /// What a request shows about its connection.
    enum Note: Sendable {
        /// The request has arrived as a whole.
        case isWhole
        /// The request shows the session of a person, or none.
        case isOf(person: String?)
    }

    /// The number before the first connection, which keeps the numbers of different servers apart.
    private static let firstNumber = 1 << 32

    /// Creates the client of the server's connection with this number, counted from 1.
    ///
    /// - Parameter note: Called with what the requests show about the connection.
    init(_ count: Int, _ address: IPAddress, _ channel: any Channel, note: @escaping @Sendable (Note) -> Void) {
        number = Self.firstNumber + count
        self.address = address
        self.channel = channel
        self.note = note
    }

    /// Notes that the present request has arrived as a whole.
    func requestIsWhole() { note(.isWhole) }

    /// Notes whose session the present request shows; `nil` if it shows none.
    func isOf(_ person: String?) { note(.isOf(person: person)) }
}

extension IPAddress {
    /// Returns the address at the other end of a connection; `nil` if there is none.
    init?(_ channel: any Channel) {
        guard let text = channel.remoteAddress?.ipAddress else { return nil }
        self.init(text)
    }
}
