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

    /// The number before the first connection, which keeps the numbers of different servers apart.
    private static let firstNumber = 1 << 32

    /// Creates the client of the server's connection with this number, counted from 1.
    init(_ count: Int, _ address: IPAddress, _ channel: any Channel) {
        number = Self.firstNumber + count
        self.address = address
        self.channel = channel
    }
}

extension IPAddress {
    /// Returns the address at the other end of a connection; `nil` if there is none.
    init?(_ channel: any Channel) {
        guard let text = channel.remoteAddress?.ipAddress else { return nil }
        self.init(text)
    }
}
