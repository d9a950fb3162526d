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
        let stage = try DemoStage(executable: URL(fileURLWithPath: "/bin/sh"))
        defer { stage.tearDown(keepsFolder: false) }
        let failure = await #expect(throws: DemoStage.Failed.self) { try await stage.run(["-c", "exit 3"]) }
        #expect(failure?.description == "The demonstration cannot go on: \"waymark -c exit 3\" failed with status 3.")
        let killed = await #expect(throws: DemoStage.Failed.self) { try await stage.run(["-c", "kill -KILL $$"]) }
        #expect(killed?.description.contains("was ended by signal 9") == true)
        let silent = #expect(throws: DemoStage.Failed.self) { try DemoCast.token(in: ["person": "ada"], of: "ada") }
        #expect(silent?.description.contains("no session of ada") == true)
        #expect(try DemoCast.token(in: ["token": "t"], of: "ada") == "t")
    }
}
