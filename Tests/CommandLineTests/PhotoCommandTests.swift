#if Companion
import Foundation
import TestSupport
import Testing

/// `waymark photo` over a store.
@Suite(.slow) struct PhotoCommandTests {
    private let folder: TemporaryFolder
    private let good: String
    private let bad: String

    init() throws {
        folder = try TemporaryFolder()
        good = folder.file("good.png")
        try Data(TestPicture.png).write(to: URL(fileURLWithPath: good))
        bad = try folder.file("notes.txt", "Not a picture.")
    }

    private func waymark(_ words: String...) async throws -> Command.Outcome {
        try await Command.run(words + ["--store", folder.file("store")])
    }

    private func addMill() async throws {
        let added = try await waymark(
            "sight", "add", "Mill", "--id", "mill", "--at", "52,5", "--description", "Old.", "--yes")
        #expect(added.status == 0, "\(added.errors)")
    }

    @Test func aBadPhotoAmongSeveralIsReportedAndTheOthersAreAdded() async throws {
        try await addMill()
        let missing = folder.file("missing.png")
        let added = try await waymark(
            "photo", "add", good, bad, missing, good, "--subject", "sight/mill", "--caption", "first", "--caption",
            "second")
        #expect(added.status == 1)
        #expect(added.lines.count == 2, "\(added.text)")
        #expect(added.lines.first?.hasSuffix("first") == true)
        #expect(!added.text.contains("second"))
        #expect(added.errors.contains("waymark: \(bad): it is not a picture"), "\(added.errors)")
        #expect(added.errors.contains("waymark: \(missing): "), "\(added.errors)")
        #expect(added.errors.hasSuffix("2 photos of 4 added.\n"), "\(added.errors)")
        #expect(try await waymark("photo", "list", "--subject", "sight/mill", "--json").lines.count == 2)
    }

    @Test func anUnknownSubjectEndsTheCommandAtOnce() async throws {
        try await addMill()
        let added = try await waymark("photo", "add", good, good, "--subject", "sight/none")
        #expect(added.status == 1)
        #expect(added.errors.split(separator: "\n").count == 1, "\(added.errors)")
    }

    @Test func anExistingFileIsReplacedOnlyWhenConfirmed() async throws {
        try await addMill()
        let id = try #require(
            try await waymark("photo", "add", good, "--subject", "sight/mill").text.split(separator: "\t").first)
        let file = try folder.file("mine.png", "Mine.")
        let refused = try await waymark("photo", "save", String(id), file)
        #expect(refused.status == 64)
        #expect(refused.errors == "\(file) already exists. Nothing changed: add --yes to confirm.\n")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "Mine.")
        #expect(try await waymark("photo", "save", String(id), file, "--yes").status == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(TestPicture.png))
        // A new file needs no confirmation.
        #expect(try await waymark("photo", "save", String(id), folder.file("new.png")).status == 0)
    }
}
#endif
