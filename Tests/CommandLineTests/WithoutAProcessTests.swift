#if Companion
import Foundation
import RPC
import Testing

@testable import waymark

/// Parts of the executable that no command shows reliably.
@Suite struct WithoutAProcessTests {
    @Test func namesOfMethodsBecomeCommandsAndThoseOfSettingsStay() {
        for (message, shown) in [
            ("Call people.signIn first.", "Call \"waymark people sign-in\" first."),
            ("Set it with the setting people.invitation.", "Set it with the setting people.invitation."),
            (
                "people.invitation needs the setting people.invitation.",
                "\"waymark people invitation\" needs the setting people.invitation."
            ), ("A setting of people.invite", "A setting of \"waymark people invite\""),
            ("server.info stays", "server.info stays"),
        ] {
            #expect(MethodHelp.naming(commandsIn: message) == shown)
        }
    }

    @Test func theDemonstrationNamesTheCommandThatFailed() async throws {
        let stage = try DemoStage(speed: 1, executable: URL(fileURLWithPath: "/bin/sh"))
        defer { stage.tearDown(keepsFolder: false) }
        let failure = await #expect(throws: DemoStage.Failed.self) { try await stage.run(["-c", "exit 3"]) }
        #expect(failure?.description == "The demonstration cannot go on: \"waymark -c exit 3\" failed with status 3.")
        let killed = await #expect(throws: DemoStage.Failed.self) { try await stage.run(["-c", "kill -KILL $$"]) }
        #expect(killed?.description.contains("was ended by signal 9") == true)
    }

    /// Answers like `events.list` of a log that keeps the events from `first` to `last`.
    private func list(_ parameters: JSONObject, first: Int64, last: Int64) throws -> JSONValue {
        let after = try #require(parameters["after"].flatMap(Int64.init(json:)))
        guard after >= first - 1 else { throw RPCError(Refusal.cursorGone(after: after, first: first, last: last)) }
        return ["events": .array((after..<last).map { .integer($0 + 1) })]
    }

    @Test func theLastEventsAreShownEvenIfSomeOfThemWereDeleted() async throws {
        for (first, shown) in [(1, 71...100), (71, 71...100), (95, 95...100), (100, 100...100)]
            as [(Int64, ClosedRange<Int64>)]
        {
            let events = try await TopSample.events(until: 100) { try list($0, first: first, last: 100) }
            #expect(events == shown.map { .integer($0) })
        }
        #expect(try await TopSample.events(until: 0) { try list($0, first: 1, last: 0) } == [])
        // Events are deleted faster than they are read.
        var first: Int64 = 90
        let none = try await TopSample.events(until: 100) { parameters in
            first += 2
            return try list(parameters, first: first, last: 200)
        }
        #expect(none == [])
    }
}
#endif
