import FeatureSupport
import RPC

@testable import Service

extension MethodCase {
    /// The cases of photos.
    ///
    /// The mill belongs to ada.
    static let photos: [MethodCase] = [
        .good("photos.add", as: .person("ada"), mill, after: uploaded(by: "ada")),
        .good("photos.add", as: .admin, mill) { core in
            ["upload": try await core.upload(TestPicture.png(), from: CoreFixture.admin)]
        },
        .bad(.notAllowed, nil, "photos.add", as: .guest, mill, after: uploaded(by: "ada")),
        .bad(.notAllowed, nil, "photos.add", as: .person("bob"), mill, after: uploaded(by: "bob")),
        .bad(.notFound, nil, "photos.add", as: .person("ada"), mill, after: uploaded(by: "bob")),
        .bad(.notFound, nil, "photos.add", as: .person("ada"), ["subject": "sight/none"], after: uploaded(by: "ada")),
        .bad(
            .invalidValue, "subject", "photos.add", as: .person("ada"), ["subject": "mill"], after: uploaded(by: "ada")),
        .bad(.invalidValue, "subject", "photos.add", as: .person("ada")) { core in
            let photo = try await core.photo(TestPicture.png(), as: "ada")
            return ["subject": .string("photo/\(photo["id"].text ?? "")"), "upload": "x"]
        },
        .bad(.conflict, nil, "photos.add", as: .person("ada"), mill) { core in
            let begun = try await core.call(
                as: "ada", "uploads.begin", ["size": 3, "sha256": .string(digest([1, 2, 3]))])
            return ["upload": begun["upload"] ?? .null]
        },
        .bad(.invalidValue, "upload", "photos.add", as: .person("ada"), mill) { core in
            ["upload": try await core.upload(Array("GIF89a, they say".utf8), as: "ada", name: "photo.jpg")]
        },
        .bad(
            .invalidValue, "caption", "photos.add", as: .person("ada"), ["subject": "sight/mill", "caption": long],
            after: uploaded(by: "ada")),
        .bad(
            .invalidValue, "caption", "photos.add", as: .person("ada"), ["subject": "sight/mill", "caption": "a\u{7}"],
            after: uploaded(by: "ada")),

        .good("photos.list", as: .guest, ["subject": "sight/mill"], after: unnamed),
        .good("photos.list", as: .guest, ["person": "ada"]),
        .bad(.notFound, nil, "photos.list", as: .person("ada"), ["subject": "sight/none"]),
        .bad(.notFound, nil, "photos.list", as: .person("ada"), ["person": "nobody"]),
        .bad(.invalidValue, "subject", "photos.list", as: .person("ada")),
        .bad(.invalidValue, "subject", "photos.list", as: .guest, ["subject": "sight/mill", "person": "ada"]),
        .bad(.invalidValue, "after", "photos.list", as: .person("ada"), ["subject": "sight/mill", "after": "x"]),
        .bad(.invalidValue, "limit", "photos.list", as: .person("ada"), ["subject": "sight/mill", "limit": 1001]),

        .good("photos.get", as: .guest, after: shown(by: "ada")),
        .bad(.notFound, nil, "photos.get", as: .person("ada"), ["photo": "1"]),
        .bad(.notFound, nil, "photos.get", as: .person("ada"), ["photo": "01"], after: unnamed),

        .good("photos.read", as: .guest, after: shown(by: "ada")),
        .bad(.notFound, nil, "photos.read", as: .person("ada"), ["photo": "1"]),
        .bad(.invalidValue, "offset", "photos.read", as: .guest, ["offset": 100_000], after: shown(by: "ada")),
        .bad(.invalidValue, "size", "photos.read", as: .guest, ["size": "small"], after: shown(by: "ada")),

        .good("photos.update", as: .person("ada"), ["caption": "From the west"], after: shown(by: "ada")),
        .good("photos.update", as: .admin, ["cover": true], after: shown(by: "ada")),
        .bad(.notAllowed, nil, "photos.update", as: .guest, after: shown(by: "ada")),
        .bad(.notAllowed, nil, "photos.update", as: .person("bob"), ["caption": "Mine"], after: shown(by: "ada")),
        .bad(.notAllowed, nil, "photos.update", as: .admin, ["keep_metadata": true], after: shown(by: "ada")),
        .bad(.notFound, nil, "photos.update", as: .person("ada"), ["photo": "1"]),
        .bad(.invalidValue, "caption", "photos.update", as: .person("ada"), ["caption": long], after: shown(by: "ada")),
        .bad(.invalidValue, "position", "photos.update", as: .person("ada"), ["position": 0], after: shown(by: "ada")),
        .bad(
            .invalidValue, "portrait", "photos.update", as: .person("ada"), ["portrait": true], after: shown(by: "ada")),

        .good("photos.remove", as: .person("ada"), after: shown(by: "ada")),
        .good("photos.remove", as: .admin, after: shown(by: "ada")),
        .bad(.notAllowed, nil, "photos.remove", as: .guest, after: shown(by: "ada")),
        .bad(.notAllowed, nil, "photos.remove", as: .person("bob"), after: shown(by: "ada")),
        .bad(.notFound, nil, "photos.remove", as: .person("ada"), ["photo": "1"]),
    ]

    private static let mill: JSONObject = ["subject": "sight/mill"]
    private static let long = JSONValue.string(String(repeating: "é", count: 1200))

    /// Uploads a picture.
    private static func uploaded(by person: String) -> Preparation {
        { ["upload": try await $0.upload(TestPicture.png(), as: person)] }
    }

    /// Adds a photo of the mill and returns it as `photo`.
    private static func shown(by person: String) -> Preparation {
        { ["photo": try await $0.photo(TestPicture.png(), as: person)["id"] ?? .null] }
    }

    /// Adds a photo of the mill without returning it.
    private static let unnamed: Preparation = { core in
        try await core.photo(TestPicture.png(), as: "ada")
        return [:]
    }
}
