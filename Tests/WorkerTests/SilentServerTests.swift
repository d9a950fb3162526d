#if Fleet
import Broker
import FleetStore
import Foundation
import Glibc
import Testing

/// Servers that accept a connection and say nothing, as one does that hangs.
@Suite struct SilentServerTests {
    @Test(.timeLimit(.minutes(1))) func theNextServerOfTheDatabaseIsAsked() throws {
        let silent = try SilentServer()
        let address = "host=127.0.0.1,127.0.0.1 port=\(silent.port),1 user=waymark dbname=waymark"
        let failure = #expect(throws: FleetStoreError.self) {
            try FleetDatabase(at: address, limit: .seconds(4))
        }
        // Both have their share in the words of libpq.
        let words = failure?.description ?? ""
        #expect(words.contains("timeout expired") && words.contains("Connection refused"))
    }

    @Test(.timeLimit(.minutes(1))) func everyNodeOfTheBrokerIsAsked() throws {
        let silent = try SilentServer()
        var address = RabbitMQAddress(host: "127.0.0.1", port: silent.port)
        address.others = [RabbitMQAddress.Node(host: "127.0.0.1", port: 1)]
        let start = ContinuousClock.now
        #expect(throws: BrokerError.self) { try QueueAdministration(at: address, limit: .seconds(4)) }
        // The silent one takes half of the limit, in whichever order they are asked.
        #expect(.now - start >= .seconds(1.5))
    }
}

/// A socket of this machine that accepts connections and never answers.
private final class SilentServer {
    let port: UInt16
    private let socket: Int32

    init() throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        // The calls read and write the address of this frame, whose length they are told.
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(socket, pointer, length) == 0 && listen(socket, 8) == 0
                    && getsockname(socket, pointer, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(socket) }
}
#endif
