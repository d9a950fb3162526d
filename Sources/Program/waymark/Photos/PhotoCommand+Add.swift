#if Companion
import ArgumentParser
import Foundation
import Photos
import Positioning
import RPC
import Receivers

extension PhotoCommand {
    /// The command `waymark photo add`.
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds photos to one of your subjects, after its other photos.",
            discussion: """
                The command accepts JPEG, PNG, WebP and HEIC of at most 32 MiB, recognised by their content. It names \
                each file that it cannot add, and adds the others. If an upload is interrupted, run the command again \
                within an hour to continue where it stopped.
                """,
            examples: [
                #"waymark photo add view.jpg --subject sight/good-parking --caption "The view""#
            ])

        @Argument(help: ArgumentHelp("The files.", valueName: "file"))
        var files: [String]

        @Option(
            help: ArgumentHelp(
                "The subject of the photos, such as sight/old-mill, or plan/ and the title of a plan.",
                valueName: "kind/id"))
        var subject: String

        @Option(help: ArgumentHelp("A caption. Repeatable: one for each file, in their order.", valueName: "text"))
        var caption: [String] = []

        @Flag(help: "Let others get the camera's metadata, such as time and place.")
        var keepMetadata = false

        @OptionGroup var source: SourceOptions

        @Flag(help: "Print one JSON object per photo.")
        var json = false

        func validate() throws {
            guard caption.count <= files.count else {
                throw ValidationError("There are more captions than files: give at most one --caption for each file.")
            }
        }

        func run() async throws {
            try await Failure.printing { output in
                var refused = 0
                try await source.change { responder in
                    let subject = try await responder.subject(subject)
                    for (index, file) in files.enumerated() {
                        do {
                            let caption = index < caption.count ? caption[index] : nil
                            try await add(file, caption, to: subject, with: responder, output)
                        } catch let error as RPCError where Self.isOfTheFile(error) {
                            Failure.report("\(file): \(Self.reason(of: error))")
                            refused += 1
                        } catch let error as PhotoFailure {
                            Failure.report("\(error)")
                            refused += 1
                        }
                    }
                }
                guard refused > 0 else { return }
                try output.flush()
                if files.count > 1 {
                    let added = Amounts.count(files.count - refused, "photo")
                    Failure.note("\(added) of \(files.count) added.")
                }
                throw Failure.exit
            }
        }

        private func add(
            _ file: String, _ caption: String?, to subject: String, with responder: any Responder,
            _ output: StandardOutput
        ) async throws {
            let upload = try await responder.upload(
                Self.read(file), name: URL(fileURLWithPath: file).lastPathComponent)
            let photo = try await responder.call(
                "photos.add",
                JSONObject(present: [
                    "subject": .string(subject), "upload": upload, "caption": caption.map { .string($0) },
                    "keep_metadata": keepMetadata ? true : nil,
                ]))
            try output.photo(photo, json: json)
        }

        /// Whether an error concerns the file sent, so that another file may succeed.
        private static func isOfTheFile(_ error: RPCError) -> Bool {
            error.code == .invalidValue
                && ["upload", "data", "size", "sha256", "name", "caption"]
                    .contains(error.data?.text("field"))
        }

        private static func reason(of error: RPCError) -> String {
            guard let reason = error.data?.text("reason") else { return error.message }
            let isOfCaption = error.data?.text("field") == "caption"
            return "\(isOfCaption ? "its caption" : "it") \(reason)"
        }

        static func read(_ path: String) throws -> UploadFile {
            do {
                let file = UploadFile(try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
                guard (1...UploadFile.greatestSize).contains(file.size) else {
                    throw PhotoFailure(
                        description: "\(path): it has \(file.size) bytes; a photo has at least one, and at most 32 MiB")
                }
                return file
            } catch let error as CocoaError {
                let reason = Self.refusal(of: path) ?? "it cannot be read: \(error.systemReason)"
                throw PhotoFailure(description: "\(path): \(reason)")
            }
        }

        /// Returns the reason why a file cannot be opened, in plain words; `nil` if it can be opened.
        private static func refusal(of path: String) -> String? {
            do throws(RecordingError) {
                _ = try FileBytes(path: path == "-" ? "./-" : path)
                return nil
            } catch {
                return "\(error)"
            }
        }
    }
}

/// The error that a photo cannot be sent or received.
struct PhotoFailure: Error, CustomStringConvertible {
    let description: String
}

extension Responder {
    /// Uploads a file, and returns the upload; an interrupted upload continues where it stopped.
    nonisolated(nonsending) func upload(_ file: UploadFile, name: String) async throws -> JSONValue {
        var state = try await call(
            "uploads.begin",
            ["size": .integer(Int64(file.size)), "sha256": .string(file.digest), "name": .string(name)])
        let upload = state["upload"] ?? .null
        while let offset = state.integer("offset"), offset < file.size {
            let piece = file.piece(from: offset)
            state = try await call(
                "uploads.append",
                ["upload": upload, "offset": .integer(Int64(offset)), "data": .string(piece.text)])
            guard state.integer("offset") == offset + piece.count else {
                throw PhotoFailure(description: "the daemon did not accept the file; add it again")
            }
        }
        _ = try await call("uploads.finish", ["upload": upload])
        return upload
    }

    /// Downloads a photo, and passes all its bytes to `write` at once.
    ///
    /// - Throws: ``PhotoFailure`` if the digest of the bytes is not the daemon's.
    nonisolated(nonsending) func receive(
        photo id: String, isSquare: Bool, _ write: ([UInt8]) throws -> Void
    ) async throws {
        var parameters: JSONObject = ["photo": .string(id), "size": isSquare ? "square" : "whole"]
        var bytes = Data()
        repeat {
            let piece = try await call("photos.read", parameters)
            bytes += Data(base64Encoded: piece.text("data") ?? "") ?? Data()
            parameters["offset"] = piece["next"]
            guard piece["next"] == nil else { continue }
            guard UploadFile(bytes).digest == piece.text("sha256") else {
                throw PhotoFailure(description: "the photo \(id) was changed while it was read; save it again")
            }
        } while parameters["offset"] != nil
        try write(Array(bytes))
    }
}
#endif
