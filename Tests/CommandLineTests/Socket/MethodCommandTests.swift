import Foundation
import TestSupport
import Testing

/// Commands that are made from the method table.
@Suite struct MethodCommandTests {
    private let folder: TemporaryFolder
    private let store: String

    init() async throws {
        folder = try TemporaryFolder()
        store = folder.file("store")
    }

    private func waymark(_ words: String..., input: Data = Data()) async throws -> Command.Outcome {
        try await Command.run(words + ["--store", store], input: input)
    }

    @Test func aMethodIsCalledByPositionAndByOption() async throws {
        let mill = ["sights", "add", "Mill", "--lat", "52", "--lon=-5", "--id", "m", "--description", "Old.", "--yes"]
        let added = try await Command.run(mill + ["--store", store, "--json"])
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.text.hasPrefix(#"{"id":"m","title":"Mill","#))
        let shown = try await waymark("sights", "get", "m")
        #expect(shown.lines.prefix(4) == ["id: m", "title: Mill", "lat: 52", "lon: -5"])
        let listed = try await waymark("sights", "list", "--bbox", "-6", "--bbox", "51", "--bbox", "-4", "--bbox", "53")
        #expect(listed.lines.first == "sights:")
        #expect(listed.lines.dropFirst().first == "- id: m")
        for box in [["-6,51,-4,53"], ["-6", "51", "-4", "53"], ["-6,51", "-4,53"]] {
            let within = try await Command.run(["sights", "list", "--bbox"] + box + ["--store", store])
            #expect(within.text == listed.text, "\(box): \(within.errors)")
        }
        #expect(try await waymark("sights", "list", "--bbox=-6,51,-4,53").text == listed.text)
        let secret = try await waymark("sights", "get", "-", input: Data("m\n".utf8))
        #expect(secret.text == shown.text)
    }

    @Test func theLinesOfATextStandBelowEachOther() async throws {
        let text = "A mill.\nBuilt in 1638,\n\n\tof wood."
        let added = try await Command.run(
            "sights", "add", "Mill", "--lat", "52", "--lon", "5", "--id", "m", "--description", text, "--yes",
            "--store", store)
        #expect(added.status == 0, "\(added.errors)")
        let lines = ["description: A mill.", "             Built in 1638,", "", "               of wood."]
        #expect(try await waymark("sights", "get", "m").text.contains(lines.joined(separator: "\n") + "\n"))
    }

    @Test func wrongUsageSaysWhatThereIs() async throws {
        let wrong: [(words: [String], text: String)] = [
            (["sights", "fly"], "There is no \"sights fly\"; there are "),
            (["sights", "get", "m", "n"], "\"n\" is more than sights.get takes."),
            (["sights", "get", "--wings", "2"], "There is no option --wings; there are --id, "),
            (["sights", "list", "--limit", "some"], "\"some\" is no value of limit, which is N."),
            (["sights", "list", "--limit"], "--limit has no value."),
            (["sights", "nearst"], "Did you mean \"sights nearest\"?"),
            (["trips", "list"], "There is no \"waymark trips\". Did you mean \"waymark trip\"?"),
            (["satus"], "Did you mean \"waymark status\"?"),
            (["trip", "lsit"], "There is no \"waymark trip lsit\". Did you mean \"waymark trip list\"?"),
            (["export"], "Did you mean \"waymark sight export\" or \"waymark trip export\"?"),
            (["xylophone"], "\"waymark --help\" shows what there is."),
        ]
        for (words, text) in wrong {
            let outcome = try await Command.run(words)
            #expect(outcome.status == 64)
            #expect(outcome.errors.contains(text), "\(words): \(outcome.errors)")
        }
    }

    @Test func helpIsMadeFromTheDeclarations() async throws {
        let verbs = try await Command.run("sights")
        #expect(verbs.status == 0)
        #expect(verbs.text.contains("  nearest "))
        let method = try await Command.run("sights", "nearest", "--help")
        #expect(method.text.contains("USAGE: waymark sights nearest [--lat <N>]"))
        for words in [["sights", "help"], ["help", "sights"]] {
            #expect(try await Command.run(words).text == verbs.text)
        }
        // There is a method of that name.
        _ = try await waymark("sights", "add", "Mill", "--lat", "52", "--lon", "5", "--description", "Old.", "--yes")
        #expect(try await waymark("people", "help").lines.first?.hasPrefix("about: Waymark ") == true)
        #expect(try await Command.run("people", "help").text == Command.run("people").text)
        for words in [["sights", "help", "nearest"], ["help", "sights", "nearest"]] {
            #expect(try await Command.run(words).text == method.text)
        }
    }

    @Test func aStoreIsSignedUpToAndAMistypedOneIsNotMade() async throws {
        let missed = try await waymark("notifications", "badge")
        #expect(missed.status == 1)
        #expect(!FileManager.default.fileExists(atPath: store))
        _ = try await waymark("sights", "add", "Mill", "--description", "Old.", "--lat", "52", "--lon", "5", "--yes")
        let form = ["people", "sign-up", "Ada", "Test", "ada@example.org", "--terms", "--username", "ada"]
        let begun = try await Command.run(form + ["--store", store])
        #expect(begun.status == 0, "\(begun.errors)")
        #expect(begun.lines.first == "id: ada")
    }

    @Test func whatIsAskedBeforeNeedsATerminalOrYes() async throws {
        _ = try await Command.run(
            "sights", "add", "Mill", "--lat", "52", "--lon", "5", "--id", "m", "--description", "Old.", "--yes",
            "--store", store)
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
