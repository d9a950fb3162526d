package import Crypto
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import WebPush

/// A push service of the tests' own on this machine, which answers what a test tells it.
package final class PushService: Sendable {
    /// A message that a push service has been handed.
    package struct Message: Sendable {
        package var target: String
        /// The headers, by their names in small letters.
        package var headers: [String: String]
        package var body: [UInt8]
    }

    private let state = Mutex(State())
    private let channel = Mutex<(any Channel)?>(nil)

    private struct State {
        var messages: [Message] = []
        var answers: [String] = []
    }

    /// Starts a service that answers these lines of headers one after the other, and then that it has taken a message.
    package init(_ answers: String...) async throws {
        state.withLock { $0.answers = answers }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [self] channel in channel.pipeline.addHandler(Answering(service: self)) }
            .bind(host: "127.0.0.1", port: 0).get()
        self.channel.withLock { $0 = channel }
    }

    /// The address of a browser at this service.
    package func endpoint(_ browser: String = "one") -> String {
        "http://127.0.0.1:\(channel.withLock { $0?.localAddress?.port } ?? 0)/push/\(browser)"
    }

    /// The messages that have come.
    package var messages: [Message] { state.withLock { $0.messages } }

    package func stop() async throws { try await channel.withLock { $0 }?.close().get() }

    fileprivate func answer(_ message: Message) -> String {
        state.withLock { state in
            state.messages.append(message)
            let head = state.answers.isEmpty ? "201 Created" : state.answers.removeFirst()
            return "HTTP/1.1 \(head)\r\nContent-Length: 0\r\n\r\n"
        }
    }

    private final class Answering: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let received = Mutex<[UInt8]>([])
        private let service: PushService

        init(service: PushService) { self.service = service }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let message = received.withLock { received in
                received += unwrapInboundIn(data).readableBytesView
                return Message(&received)
            }
            guard let message else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: service.answer(message))), promise: nil)
        }
    }
}

extension PushService.Message {
    /// Takes a request that has come as a whole.
    fileprivate init?(_ received: inout [UInt8]) {
        guard let end = received.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: received[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        headers = Dictionary(
            lines.dropFirst().map { line in
                let parts = line.split(separator: ":", maxSplits: 1)
                return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
            }, uniquingKeysWith: { first, _ in first })
        target = lines[0].split(separator: " ")[1].description
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard received.count >= end.upperBound + length else { return nil }
        body = Array(received[end.upperBound..<end.upperBound + length])
        received = []
    }
}

/// A browser with the private half of its keys, which reads its messages.
package struct FakeBrowser: Sendable {
    package let pair: P256.KeyAgreement.PrivateKey
    package let secret: [UInt8]

    /// Makes a browser, whose keys are new by default.
    package init(
        _ pair: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(),
        secret: [UInt8] = Array(repeating: 7, count: 16)
    ) {
        self.pair = pair
        self.secret = secret
    }

    package var key: String { Base64URL.text(pair.publicKey.x963Representation) }
    package var auth: String { Base64URL.text(secret) }

    /// Decrypts a message as RFC 8291, section 3.4, and RFC 8188, section 2, say.
    package func text(of body: [UInt8]) throws -> String {
        let (salt, length) = (Array(body[..<16]), Int(body[20]))
        let (sender, sealed) = (Array(body[21..<21 + length]), Array(body[(21 + length)...]))
        let shared = try pair.sharedSecretFromKeyAgreement(
            with: P256.KeyAgreement.PublicKey(x963Representation: sender))
        let keying = shared.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: secret,
            sharedInfo: Array("WebPush: info\0".utf8) + Array(pair.publicKey.x963Representation) + sender,
            outputByteCount: 32)
        func derived(_ use: String, _ length: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: keying, salt: salt, info: Array("Content-Encoding: \(use)\0".utf8),
                outputByteCount: length)
        }
        let box = try AES.GCM.SealedBox(combined: derived("nonce", 12).bytes + sealed)
        let opened = try AES.GCM.open(box, using: derived("aes128gcm", 16))
        let padded = opened.reversed().drop { $0 == 0 }.reversed()
        try #require(padded.last == 2)
        return String(decoding: padded.dropLast(), as: UTF8.self)
    }
}
