import FeatureSupport
import Foundation
import RPC

@testable import Photos
@testable import Service

extension MethodCase {
    /// The cases of uploads.
    static let uploads: [MethodCase] = [
        .good("uploads.begin", as: .person("bob"), ["size": 3, "sha256": hash, "name": "photo.jpg"]),
        .good("uploads.begin", as: .admin, ["size": 3, "sha256": hash]),
        .bad(.notAllowed, nil, "uploads.begin", as: .guest, ["size": 3, "sha256": hash]),
        .bad(.invalidValue, "size", "uploads.begin", as: .person("bob"), ["size": 0, "sha256": hash]),
        .bad(.invalidValue, "size", "uploads.begin", as: .person("bob"), ["size": 33_554_433, "sha256": hash]),
        .bad(.invalidValue, "sha256", "uploads.begin", as: .person("bob"), ["size": 3, "sha256": "abc"]),
        .bad(
            .invalidValue, "sha256", "uploads.begin", as: .person("bob"),
            ["size": 3, "sha256": .string(String(repeating: "g", count: 64))]),
        .bad(
            .invalidValue, "name", "uploads.begin", as: .person("bob"),
            ["size": 3, "sha256": hash, "name": .string(String(repeating: "é", count: 200))]),
        .bad(
            .invalidValue, "name", "uploads.begin", as: .person("bob"), ["size": 3, "sha256": hash, "name": "a\nb"]),
        .bad(.conflict, nil, "uploads.begin", as: .person("bob"), ["size": 3, "sha256": hash]) { core in
            for number in 0..<Upload.maximumPerPerson {
                let other = JSONValue.string(digest([UInt8(number)]))
                try await core.call(as: "bob", "uploads.begin", ["size": 1, "sha256": other])
            }
            return [:]
        },

        .good("uploads.append", as: .person("bob"), ["offset": 0, "data": "AQID"], after: begun),
        .bad(.notAllowed, nil, "uploads.append", as: .guest, ["offset": 0, "data": "AQID"], after: begun),
        .bad(.notFound, nil, "uploads.append", as: .person("cai"), ["offset": 0, "data": "AQID"], after: begun),
        .bad(.notFound, nil, "uploads.append", as: .person("bob"), ["upload": "x", "offset": 0, "data": "AQID"]),
        .bad(.conflict, nil, "uploads.append", as: .person("bob"), ["offset": 1, "data": "AQID"], after: begun),
        .bad(
            .invalidValue, "offset", "uploads.append", as: .person("bob"), ["offset": -1, "data": "AQID"], after: begun),
        .bad(
            .invalidValue, "data", "uploads.append", as: .person("bob"), ["offset": 0, "data": "AQIDBA=="], after: begun
        ),
        .bad(.invalidValue, "data", "uploads.append", as: .person("bob"), ["offset": 0, "data": "A!ID"], after: begun),
        .bad(.invalidValue, "data", "uploads.append", as: .person("bob"), ["offset": 0, "data": ""], after: begun),
        .bad(
            .invalidValue, "data", "uploads.append", as: .person("bob"),
            ["offset": 0, "data": .string(String(repeating: "AAAA", count: 174_764))], after: begun),

        .good("uploads.finish", as: .person("bob"), after: come([1, 2, 3])),
        .bad(.notAllowed, nil, "uploads.finish", as: .guest, after: come([1, 2, 3])),
        .bad(.notFound, nil, "uploads.finish", as: .person("ada"), after: come([1, 2, 3])),
        .bad(.conflict, nil, "uploads.finish", as: .person("bob"), after: begun),
        .bad(.invalidValue, "sha256", "uploads.finish", as: .person("bob"), after: come([1, 2, 4])),

        .good("uploads.cancel", as: .person("bob"), after: begun),
        .bad(.notAllowed, nil, "uploads.cancel", as: .guest, after: begun),
        .bad(.notFound, nil, "uploads.cancel", as: .admin, after: begun),
        .bad(.notFound, nil, "uploads.cancel", as: .person("bob"), ["upload": "x"]),
    ]

    private static let hash = JSONValue.string(digest([1, 2, 3]))

    /// Lets bob begin an upload of three bytes.
    private static let begun: Preparation = { core in
        let answer = try await core.call(as: "bob", "uploads.begin", ["size": 3, "sha256": hash])
        return ["upload": answer["upload"] ?? .null]
    }

    /// Appends bytes to bob's upload.
    private static func come(_ bytes: [UInt8]) -> Preparation {
        { core in
            var parameters = try await begun(core)
            parameters["offset"] = 0
            parameters["data"] = .string(Data(bytes).base64EncodedString())
            try await core.call(as: "bob", "uploads.append", parameters)
            return ["upload": parameters["upload"] ?? .null]
        }
    }
}
