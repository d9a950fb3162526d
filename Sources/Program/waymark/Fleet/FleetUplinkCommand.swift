#if Fleet
import ArgumentParser
import Foundation
import UnixSignals
import Uplink
import WebClient

/// The command `waymark fleet uplink`, which hands what happens in a fleet to one Waymark.
struct FleetUplinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "uplink",
        abstract: "Hand the events and trips of a fleet to one Waymark, its centre, until stopped.",
        discussion: """
            The centre shows the devices of the fleet as those of a board: with its socket, its pages, maps and \
            reports. "waymark uplink board NAME" makes the secret there. A centre takes 10,000 devices of a fleet. A \
            process that was stopped goes on where the centre says.
            """)

    @OptionGroup var servers: FleetDatabaseOption

    @Argument(help: ArgumentHelp("The address of the centre.", valueName: "https://…"))
    var url: String

    @Option(help: ArgumentHelp("The file with the secret that the centre has made.", valueName: "file"))
    var secret: String

    @Option(
        help: ArgumentHelp(
            "The certificates that may vouch for the centre, in PEM form, in place of the system's.",
            valueName: "file"))
    var authority: String?

    @Flag(help: "End when everything that is there was handed over.")
    var once = false

    /// The longest time for a batch, which is short enough for a slow network.
    private static let longestExchange = Duration.seconds(60)

    func run() async throws {
        let address = try servers.databaseAddress()
        let file = SecretFile(URL(fileURLWithPath: secret).path)
        let settings: UplinkSettings
        do throws(WebFailure) {
            settings = UplinkSettings(url: try WebURL(url), secret: file, authority: authority)
            _ = try file.read()
        } catch {
            throw ValidationError("The centre \(error).")
        }
        guard let target = settings.url else { return }
        let client = WebClient(target, authority: authority, compresses: true)
        let uplink = FleetUplink(of: address, complain: { Failure.report($0) }) { body in
            let word = String(decoding: try file.read(), as: UTF8.self)
            return try await client.post(
                body, headers: ["Authorization": "Bearer \(word)"], within: Self.longestExchange)
        }
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        let isOnce = once
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await uplink.run(once: isOnce) }
            group.addTask { for await _ in signals { return } }
            await group.next()
            group.cancelAll()
        }
    }
}
#endif
