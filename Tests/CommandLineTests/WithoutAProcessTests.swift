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
}
