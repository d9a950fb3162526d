package import Callers
import Crypto
import Foundation
package import RPC
import Testing

@testable import Photos
@testable import Service

extension CoreFixture {
    /// Uploads a file completely, in pieces of `piece` bytes, and returns the id of the upload.
    package func upload(
        _ bytes: [UInt8], name: String? = nil, piece: Int = 1000, from connection: Principal
    ) async throws -> JSONValue {
        var parameters: JSONObject = ["size": .integer(Int64(bytes.count)), "sha256": .string(digest(bytes))]
        parameters["name"] = name.map { .string($0) }
        let begun = try await call("uploads.begin", parameters, from: connection)
        let upload = try #require(begun["upload"])
        // An earlier upload of the same file continues at its offset.
        for offset in stride(from: Int(begun["offset"].number ?? 0), to: bytes.count, by: piece) {
            let data = Data(bytes[offset..<min(offset + piece, bytes.count)]).base64EncodedString()
            try await call(
                "uploads.append", ["upload": upload, "offset": .integer(Int64(offset)), "data": .string(data)],
                from: connection)
        }
        try await call("uploads.finish", ["upload": upload], from: connection)
        return upload
    }

    /// Uploads a file as a person.
    package func upload(_ bytes: [UInt8], as person: String, name: String? = nil) async throws -> JSONValue {
        try await upload(bytes, name: name, from: Self.connection(as: person))
    }

    /// Adds a photo and returns the answer.
    @discardableResult
    package func photo(
        _ bytes: [UInt8], of subject: JSONValue = "sight/mill", as person: String, _ more: JSONObject = [:]
    ) async throws -> JSONValue {
        var parameters: JSONObject = ["subject": subject, "upload": try await upload(bytes, as: person)]
        for name in more.names { parameters[name] = more[name] }
        return try await call(as: person, "photos.add", parameters)
    }

    /// Returns all bytes of a photo that a person receives, or a person who is not signed in if `person` is `nil`.
    package func read(_ photo: JSONValue, as person: String?, _ more: JSONObject = [:]) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var parameters: JSONObject = ["photo": photo]
        for name in more.names { parameters[name] = more[name] }
        while true {
            let answer = try await call("photos.read", parameters, from: Self.connection(as: person))
            #expect(answer["offset"].number == Double(bytes.count))
            bytes += try #require(Data(base64Encoded: answer["data"].text ?? ""))
            guard let next = answer["next"] else {
                #expect(answer["size"].number == Double(bytes.count))
                #expect(answer["sha256"].text == digest(bytes))
                return bytes
            }
            parameters["offset"] = next
        }
    }
}

/// Returns the SHA-256 of bytes in hexadecimal digits.
package func digest(_ bytes: [UInt8]) -> String { SHA256.hash(data: Data(bytes)).hexadecimal }
