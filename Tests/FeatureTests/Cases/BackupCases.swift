import FeatureSupport
import RPC

@testable import Photos
@testable import Service

extension MethodCase {
    /// The cases of the backup methods.
    static let backups: [MethodCase] = [
        .good("backup.begin", as: .admin),
        .bad(.notAllowed, "backup.begin", as: .person("ada")),
        .bad(.conflict, "backup.begin", as: .admin) { core in
            _ = try await begun(core)
            return [:]
        },

        .good("backup.read", as: .admin, after: begun),
        .bad(.notAllowed, "backup.read", as: .person("ada"), after: begun),
        .bad(.notFound, "backup.read", as: .admin, ["backup": "x"], after: { _ in [:] }),
        .bad(.notFound, "backup.read", as: .admin, ["photo": .string(digest([1]))], after: begun),
        .bad(
            .notFound, "backup.read", as: .admin,
            ["photo": "../../etc/passwd................................................"], after: begun),
        .bad(.invalidValue, "photo", "backup.read", as: .admin, ["photo": "x"], after: begun),
        .bad(.invalidValue, "offset", "backup.read", as: .admin, ["offset": -1], after: begun),
        .bad(.invalidValue, "offset", "backup.read", as: .admin, ["offset": 1_000_000_000], after: begun),

        .good("backup.end", as: .admin, after: begun),
        .bad(.notAllowed, "backup.end", as: .person("ada"), after: begun),
        .bad(.notFound, "backup.end", as: .admin, ["backup": "x"]),
    ]

    /// Begins a backup.
    private static let begun: Preparation = { core in
        ["backup": try await core.call("backup.begin")["backup"] ?? .null]
    }
}
