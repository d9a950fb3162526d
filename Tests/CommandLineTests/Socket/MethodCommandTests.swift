#if Companion
import Foundation
import TestSupport
import Testing

/// Commands that are generated from the method table.
@Suite(.slow) struct MethodCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() async throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
    }

    private func waymark(_ words: String..., input: Data = Data()) async throws -> Command.Outcome {
        try await Command.run(words + ["--store", store], input: input)
    }

    /// Adds a mill with the id `m`.
    private func addMill(_ description: String = "Old.") async throws {
        let added = try await waymark(
            "sight", "add", "Mill", "--at", "52,-5", "--id", "m", "--description", description, "--yes")
        #expect(added.status == 0, "\(added.errors)")
    }

    @Test func parametersAreGivenByPositionOrByOption() async throws {
        try await addMill()
        let shown = try await waymark("subjects", "share", "sight/m")
        #expect(shown.lines.first == "subject: sight/m", "\(shown.errors)")
        #expect(try await waymark("subjects", "share", "--subject=sight/m").text == shown.text)
        let secret = try await waymark("subjects", "share", "-", input: Data("sight/m\n".utf8))
        #expect(secret.text == shown.text)
        let near = try await waymark("sight", "nearest", "--lat", "52", "--lon=-5", "--k", "1")
        #expect(near.lines.contains("- id: m"))
    }

    @Test func handWrittenAndGeneratedCommandsShareTheirVerbs() async throws {
        try await addMill()
        let listed = try await waymark("sight", "list", "--bbox", "-6,51,-4,53")
        #expect(listed.lines.count == 1 && listed.lines[0].hasPrefix("m\tMill\t"), "\(listed)")
        #expect(try await waymark("sights", "list", "--bbox=-6,51,-4,53").text == listed.text)
        #expect(try await waymark("sight", "list", "--bbox", "-4.5,51,-4,53").lines.isEmpty)
        let unknown = try await waymark("sight", "list", "--bbox", "1,2,3")
        #expect(unknown.status == 64 && unknown.errors.contains("--bbox"), "\(unknown.errors)")
        #expect(try await waymark("sights", "get", "m").text == waymark("sight", "show", "m").text)
        #expect(try await waymark("sights", "update", "m", "--title", "Old mill").status == 0)
        #expect(try await waymark("sight", "ranking").lines == ["sights: none"])
        #expect(try await waymark("trips", "list").text == waymark("trip", "list").text)
        let verbs = try await Command.run("photo")
        for verb in ["add", "save", "update"] { #expect(verbs.text.contains("\n  \(verb) "), "\(verb)") }
        #expect(!verbs.text.contains("\n  read "))
    }

    @Test func theLinesOfATextAreIndentedAlike() async throws {
        try await addMill("A mill.\nBuilt in 1638,\n\n\tof wood.")
        let lines = ["says      A mill.", "          Built in 1638,", "", "            of wood."]
        let shown = try await waymark("sight", "show", "m")
        #expect(shown.text.contains(lines.joined(separator: "\n") + "\n"), "\(shown.text)")
    }

    @Test func wrongUsageSuggestsWhatExists() async throws {
        let wrong: [(words: [String], text: String)] = [
            (["sights", "fly"], #"There is no "waymark sight fly". "waymark sight --help" lists the commands."#),
            (["friends", "request", "m", "n"], "\"n\" is one value too many for friends.request."),
            (["sight", "ratings", "--wings", "2"], "There is no option --wings. The options are --id, "),
            (["sights", "ranking", "--limit", "some"], "\"some\" is not valid for limit, which takes N."),
            (["sights", "ranking", "--limit"], "--limit has no value."),
            (["sights", "nearst"], "Did you mean \"waymark sight nearest\"?"),
            (["satus"], "Did you mean \"waymark status\"?"),
            (["trip", "lsit"], #"There is no "waymark trip lsit". Did you mean "waymark trip list"?"#),
            (["trips", "lsit"], "Did you mean \"waymark trip list\"?"),
            (
                ["export"],
                "Did you mean \"waymark sight export\" or \"waymark trip export\" or \"waymark plan export\"?"
            ),
            (["xylophone"], "\"waymark --help\" lists the commands."),
        ]
        for (words, text) in wrong {
            let outcome = try await Command.run(words)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(text), "\(words): \(outcome.errors)")
        }
    }

    @Test func helpIsGeneratedFromTheDeclarations() async throws {
        let verbs = try await Command.run("sights")
        #expect(verbs.status == 0)
        #expect(verbs.text.contains("  nearest "))
        let method = try await Command.run("sights", "nearest", "--help")
        #expect(method.text.contains("USAGE: waymark sight nearest [--lat <N>]"))
        for words in [["sights", "help"], ["help", "sights"], ["sight"], ["help", "sight"], ["sight", "--help"]] {
            #expect(try await Command.run(words).text == verbs.text)
        }
        // `people.help` is a method.
        try await addMill()
        #expect(try await waymark("people", "help").lines.first?.hasPrefix("about: Waymark ") == true)
        #expect(try await Command.run("people", "help").text == Command.run("people").text)
        for words in [["sights", "help", "nearest"], ["help", "sights", "nearest"]] {
            #expect(try await Command.run(words).text == method.text)
        }
        #expect(try await Command.run("help", "sight", "add").text == Command.run("sight", "add", "--help").text)
    }

    @Test func signUpWorksOnAStoreAndAMistypedStoreIsNotCreated() async throws {
        let missed = try await waymark("notifications", "badge")
        #expect(missed.status == 1)
        #expect(!FileManager.default.fileExists(atPath: store))
        try await addMill()
        let form = ["people", "sign-up", "Ada", "Test", "ada@example.org", "--terms", "--username", "ada"]
        let lacking = try await Command.run(form + ["--store", store])
        #expect(lacking.status == 1)
        #expect(lacking.errors.hasPrefix("waymark: --password is missing; give one"), "\(lacking.errors)")
        let begun = try await Command.run(form + ["--email-again", "ada@example.org", "--store", store])
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(begun.lines.first == "id: ada")
        #expect(begun.lines.last?.contains("people prove CODE") == true)
        #expect(!begun.text.contains("ticket"))
        // The session file knows the sign-up to which the code belongs.
        let wrong = try await Command.run("people", "prove", "000000", "--store", store)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("The code is wrong"), "\(wrong.errors)")
        // Messages name commands and options.
        let unknown = try await Command.run("people", "sign-in", "bob", "--password", "a long way", "--store", store)
        #expect(unknown.errors.contains("\"waymark people sign-up\""), "\(unknown.errors)")
        let short = try await Command.run("people", "sign-up", "A", "B", "a@example.org", "--store", store)
        #expect(short.errors == "waymark: --terms is missing.\n")
    }

    @Test func changesThatAskForConfirmationNeedATerminalOrYes() async throws {
        try await addMill()
        let unasked = try await waymark("sights", "remove", "m")
        #expect(unasked.status == 64)
        #expect(unasked.errors == "Nothing changed: add --yes to confirm.\n")
        for words in [["sight", "remove", "m"], ["sight", "add", "Bench", "--description", "Old.", "--at", "52,5"]] {
            #expect(try await Command.run(words + ["--store", store]).errors == unasked.errors)
        }
        #expect(try await waymark("sights", "get", "m").status == 0)
        #expect(try await Command.run("sights", "remove", "m", "--yes", "--store", store).status == 0)
        #expect(try await waymark("sights", "get", "m").status == 1)
    }
}
#endif
