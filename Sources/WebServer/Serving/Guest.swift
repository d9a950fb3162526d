import HummingbirdCore
import NIOCore

/// A request of HTTP, where `Request` is one of JSON-RPC.
typealias WebRequest = HummingbirdCore.Request

/// Who sends a request, as far as its connection says.
struct Guest: Sendable {
    /// The number of the connection, for the rest of the program.
    let number: Int
    /// The address that it comes from.
    let address: IPAddress
    /// What leads to it.
    let channel: any Channel

    /// Connections of doors are numbered each from their own beginning.
    private static let firstNumber = 1 << 32

    /// The guest of the connection that came as this one since the door was opened, counted from 1.
    init(_ count: Int, _ address: IPAddress, _ channel: any Channel) {
        number = Self.firstNumber + count
        self.address = address
        self.channel = channel
    }
}

extension IPAddress {
    /// The address at the other end of a connection; nil where that has none.
    init?(_ channel: any Channel) {
        guard let text = channel.remoteAddress?.ipAddress else { return nil }
        self.init(text)
    }
}
