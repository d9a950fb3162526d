import NIOCore
import NIOPosix
import NIOSSL
import TestSupport
import Testing

@testable import WebServer

/// The door with TLS.
@Suite struct TLSTests {
    /// A self-signed certificate for `localhost`, made only for these tests.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBljCCATugAwIBAgIUMVc8dM043ZAz8BXu+ZDdNw+TFoowCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzE2MjExOVoYDzIxMjYxMDMw
        MTYyMTE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATjng0zHAUFtLuVadgKzBdiYBU7ToNKF7xVnXzAg7VoBtYq0m11o2FX
        kfEnTiK/uVJdbDbgZOGhdRQyhJkqFmUro2kwZzAdBgNVHQ4EFgQUvG4z+Zwh1VkQ
        d2IZFTuOO8qcM1IwHwYDVR0jBBgwFoAUvG4z+Zwh1VkQd2IZFTuOO8qcM1IwDwYD
        VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
        SQAwRgIhAPZa7TY7DhLb6XCVt08hkZv+j8RQrSVTiPEEsJh3AEY0AiEA559kF7+o
        /pmHGD8DmLxKzbAwUU7g+TM33CH96p5t0Rs=
        -----END CERTIFICATE-----

        """
    /// The key of the certificate.
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgm0gKLp1PFRQo64C6
        p+Rk/j3Vk/aFHKQXtJI1Z+btamKhRANCAATjng0zHAUFtLuVadgKzBdiYBU7ToNK
        F7xVnXzAg7VoBtYq0m11o2FXkfEnTiK/uVJdbDbgZOGhdRQyhJkqFmUr
        -----END PRIVATE KEY-----

        """

    @Test func pagesAreServedOnlyOverTLS() async throws {
        try await RunningDoor.run(settings: { settings, folder in
            settings.certificate = try folder.file("c.pem", Self.certificate)
            settings.key = try folder.file("k.pem", Self.key)
        }) { door in
            #expect(door.door.address == "https://127.0.0.1:\(door.port)/")
            let request = "GET /healthz HTTP/1.1\r\nHost: localhost:\(door.port)\r\nConnection: close\r\n\r\n"
            let secure = try await Self.exchange(request, port: door.port)
            #expect(secure.hasPrefix("HTTP/1.1 200 OK\r\n") && secure.hasSuffix("\r\n\r\nok\n"))
            let plain = try await HTTPBytes.exchange(Array(request.utf8), port: door.port)
            #expect(!String(decoding: plain, as: UTF8.self).contains("200"))
        }
    }

    @Test func invalidCertificatesAndKeysAreRefused() async throws {
        for (certificate, key, reason) in [
            ("nonsense", Self.key, "web.certificate: "), (Self.certificate, "nonsense", "web.key: "),
            (Self.key, Self.key, "web.certificate: "),
        ] {
            let error = await #expect(throws: WebError.self) {
                try await RunningDoor.run(settings: { settings, folder in
                    settings.certificate = try folder.file("c.pem", certificate)
                    settings.key = try folder.file("k.pem", key)
                }) { _ in }
            }
            #expect(error?.description.hasPrefix(reason) == true)
        }
    }

    private static func exchange(_ request: String, port: Int) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)))
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            do {
                for try await piece in inbound { text += String(buffer: piece) }
            } catch  where !text.isEmpty {}
            return text
        }
    }
}
