#if Companion
import ArgumentParser
import Foundation
import RPC

/// The command `waymark photo`, for the photos of sights and other subjects.
struct PhotoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "photo", abstract: "Add, list, save and remove photos.",
        subcommands: [Add.self, List.self, Save.self, Remove.self])

    /// The command `waymark photo list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the photos of a subject in their order, or those that a person has added.",
            examples: [
                "waymark photo list --subject sight/good-parking"
            ])

        @Option(help: ArgumentHelp("The subject of the photos, such as sight/old-mill.", valueName: "kind/id"))
        var subject: String?

        @Option(help: ArgumentHelp("The person who added them, instead of a subject; newest first.", valueName: "id"))
        var person: String?

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per photo.")
        var json = false

        func validate() throws {
            guard (subject == nil) != (person == nil) else {
                throw ValidationError("Give either --subject or --person.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                var table = TextTable("id", "", "type", "size", "caption")
                try await source.ask { responder in
                    var parameters = JSONObject(present: ["person": person.map { .string($0) }])
                    if let subject { parameters["subject"] = .string(try await responder.subject(subject)) }
                    try await responder.forEachPage(of: "photos.list", "photos", parameters) { photos in
                        for photo in photos {
                            if json { try output.line(photo.line) } else { table.add(photo.photoCells) }
                        }
                    }
                }
                guard !json else { return }
                try output.table(table)
                if table.isEmpty { Failure.note("There are no photos.") }
            }
        }
    }

    /// The command `waymark photo save`.
    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "save", abstract: "Saves a photo to a file.",
            discussion: """
                If you added the photo, you get the file that you uploaded. Others get it without the camera's metadata, \
                unless you let them have it.
                """,
            examples: [
                "waymark photo save 1 copy.jpg",
                "waymark photo save 1 square.jpg --square",
            ])

        @Argument(help: ArgumentHelp("The photo, as photo list prints it.", valueName: "id"))
        var id: String

        @Argument(help: ArgumentHelp("The file; - is standard output.", valueName: "file"))
        var file: String

        @Flag(help: "Save a square thumbnail instead of the whole photo.")
        var square = false

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        func run() async throws {
            // Replacing a regular file needs consent. A device or a pipe is not replaced.
            let attributes = try? FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: file).resolvingSymlinksInPath().path)
            if file != "-", attributes?[.type] as? FileAttributeType == .typeRegular {
                try consent.check("\(file) already exists. ")
                guard consent.isGiven(for: "\(file) already exists. Replace it?") else { return }
            }
            try await Failure.printing { output in
                try await source.ask { responder in
                    try await OutputFile.write(to: file == "-" ? nil : file, or: output) { write in
                        try await responder.receive(photo: id, isSquare: square, write)
                    }
                }
            }
        }
    }

    /// The command `waymark photo remove`.
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Removes photos.",
            examples: [
                "waymark photo remove 1 --yes"
            ])

        @Argument(help: ArgumentHelp("The photos, as photo list prints them.", valueName: "id"))
        var ids: [String]

        @OptionGroup var consent: Consent
        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per photo.")
        var json = false

        func run() async throws {
            try consent.check()
            try await Failure.printing { output in
                try await source.change { responder in
                    for id in ids {
                        let photo = try await responder.call("photos.get", ["photo": .string(id)])
                        let name = photo.text("caption").map { "\($0) (\(id))" } ?? id
                        guard consent.isGiven(for: "Remove the photo \(name) of \(photo.text("subject") ?? "")?")
                        else { continue }
                        let answer = try await responder.call("photos.remove", ["photo": .string(id)])
                        try output.line(json ? answer.line : Array("Removed \(EventFormatter.printable(id)).".utf8))
                    }
                }
            }
        }
    }
}

extension StandardOutput {
    /// Prints a photo from an answer, as a line.
    func photo(_ photo: JSONValue, json: Bool) throws {
        guard !json else { return try line(photo.line) }
        var table = TextTable()
        table.add(photo.photoCells)
        try self.table(table)
    }
}

extension JSONValue {
    /// The cells of a photo in a table: id, whether it is the cover, type, size and caption.
    fileprivate var photoCells: [TextTable.Cell] {
        [
            .key(text("id") ?? ""), .text(flag("cover") == true ? "cover" : ""),
            .text(String((text("type") ?? "").drop { $0 != "/" }.dropFirst())),
            .number("\(integer("width") ?? 0) × \(integer("height") ?? 0)"), .text(text("caption") ?? ""),
        ]
    }
}
#endif
