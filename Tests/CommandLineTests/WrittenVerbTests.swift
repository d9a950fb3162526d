#if Companion
import Foundation
import TestSupport
import Testing

/// A verb that is written by hand takes whatever the method that it calls takes.
@Suite struct WrittenVerbTests {
    private struct Reference: Decodable {
        struct Method: Decodable {
            struct Parameter: Decodable { var name: String }
            var name: String
            var params: [Parameter]
        }
        var methods: [Method]
    }

    private static let place = ["lat": "at", "lon": "at"]
    private static let zones = ["from_zone": "zone", "to_zone": "zone"]

    @Test func takesEveryParameter() async throws {
        let folder = try TemporaryFolder()
        let store = folder.file("store")
        #expect(try await Command.run(["replay", "fixtures/city-drive.nmea", "--store", store]).status == 0)
        let reference = try await Command.run(["call", "rpc.discover", "--store", store])
        let methods = try JSONDecoder().decode(Reference.self, from: reference.output).methods
        for (verb, name, names) in [
            ("plan create", "plans.create", Self.place), ("plan copy", "plans.copy", [:]),
            (
                "plan add location", "locations.add",
                Self.place.merging(Self.zones) { _, new in new }.merging(["radius_m": "radius"]) { _, new in new }
            ),
            ("plan add activity", "activities.add", Self.place.merging(Self.zones) { _, new in new }),
        ] {
            let method = try #require(methods.first { $0.name == name })
            var command = try await ParserDump.read()
            for word in verb.split(separator: " ") {
                command = try #require(command.subcommands?.first { $0.commandName == word })
            }
            let options = (command.arguments ?? []).flatMap { argument in
                (argument.names ?? []).map(\.name) + (argument.kind == "positional" ? [argument.valueName ?? ""] : [])
            }
            for parameter in method.params.map(\.name) {
                let option = names[parameter] ?? parameter.replacing("_", with: "-")
                #expect(options.contains(option), "waymark \(verb) has no --\(option)")
            }
        }
    }
}
#endif
