import Callers
import Phones
import RPC
import Service
import Store

/// The RPC method that makes a phone a device: `devices.secret`.
struct ReportingMethods: Sendable {
    private let editor: Editor
    private let webAddress: @Sendable () -> String

    init(_ context: ServiceContext) {
        editor = context.editor
        webAddress = context.webAddress
    }

    /// All methods about devices that report by request.
    var all: [Method<Principal>] {
        [
            .stored(
                "devices.secret",
                "Makes a device whose places a phone sends, or gives it a new secret in place of its own, which is shown only now.",
                Parameter<String>.required(
                    "device", .deviceName, "The device's name, such as that of the phone's owner."),
                .optional(
                    "remove", .boolean, default: false,
                    "Whether to take the secret from the device, so that its phone can send nothing any more."),
                Parameter<String?>.optional(
                    "server", .string(length: 1...ServerAddress.longest),
                    "The address at which the phone reaches the daemon, such as https://van.example; by default that of web.listen."
                ),
                .optional(
                    "code", .boolean, default: false, "Whether the answer has the QR code of the link, to be drawn."),
                answers: NewSecret.shape, errors: [.notFound], right: .change, handler: secret
            ).conversing(Conversation(next: Self.advice))
        ]
    }

    private struct NewSecret: Answerable, Sendable {
        var device: String
        var setup: PhoneSetup?
        var hasCode = false

        static let shape = AnswerShape<NewSecret>.object {
            Member("device", .text, "The device's name.") { $0.device }
            Member.optional("secret", .text, "The secret; absent if it was taken away.") { $0.setup?.secret.text }
            Member.optional("urls", urls, "The addresses to enter in the app, and a link that sets OwnTracks up.") {
                $0.setup
            }
            Member.optional("code", QRCode.shape, "The link `config` as a QR code.") { answer in
                answer.hasCode ? answer.setup.flatMap { QRCode($0.config) } : nil
            }
        }

        private static let urls = AnswerShape<PhoneSetup>.object {
            Member("owntracks", .text, "For OwnTracks in HTTP mode, with the secret as the password.") { $0.owntracks }
            Member("overland", .text, "For Overland, with the secret as the access token.") { $0.overland }
            Member("osmand", .text, "For apps of OsmAnd's protocol, such as Traccar Client before version 9.") {
                $0.osmand
            }
            Member("osmand_app", .text, "For the app OsmAnd itself.") { $0.osmandApp }
            Member("traccar", .text, "For Traccar Client 9, with the secret as the device identifier.") { $0.traccar }
            Member("gpslogger", .text, "For the custom URL of GPSLogger.") { $0.gpslogger }
            Member("config", .text, "A link that sets OwnTracks up when it is opened on the phone.") { $0.config }
        }
    }

    @Sendable private func secret(
        _ call: Call<Principal>, device: String, removes: Bool, server: String?, hasCode: Bool
    ) async throws -> NewSecret {
        if let server { try ServerAddress.check(server) }
        guard !removes else {
            let isRemoved = try await editor.change { db, _ in try ReportedDevices.removeSecret(of: device, in: db) }
            guard isRemoved else { throw Refusal.notFound("The device \(device) has no secret.") }
            return NewSecret(device: device)
        }
        var generator = SystemRandomNumberGenerator()
        let secret = PhoneSecret(using: &generator)
        let digest = [UInt8](Secret.digest(secret.text))
        try await editor.change { db, _ in try ReportedDevices.set(digest: digest, of: device, in: db) }
        let setup = PhoneSetup(device: device, secret: secret, server: server ?? webAddress())
        return NewSecret(device: device, setup: setup, hasCode: hasCode)
    }

    /// Returns the link as a code that a phone's camera reads.
    private static let advice: @Sendable (JSONValue) -> String? = { answer in
        guard case .string(let link)? = answer["urls"]?["config"], let code = QRCode(link) else { return nil }
        var advice =
            code.terminalText(colors: false)
            + "\nScan this with the phone: it opens OwnTracks and sets it up. The secret is not shown again."
        if case .string(let url)? = answer["urls"]?["owntracks"], let obstacle = obstacle(to: url) {
            advice += "\n" + obstacle
        }
        return advice
    }

    /// Returns why a phone may not get through to an address; `nil` if nothing in the address speaks against it.
    private static func obstacle(to url: String) -> String? {
        let host = url.dropFirst(url.hasPrefix("https://") ? 8 : 7).prefix { $0 != "/" }
        if host.hasPrefix("127.") || host.hasPrefix("[::1]") || host.hasPrefix("localhost") {
            return
                "But \(host) is this machine for itself, which no phone reaches. Set web.listen to the machine's address, "
                + "or name the address with --server, and make the secret again."
        }
        guard url.hasPrefix("http://") else { return nil }
        return "The address has no TLS, so that the daemon takes places only if web.phones is plain."
    }
}
