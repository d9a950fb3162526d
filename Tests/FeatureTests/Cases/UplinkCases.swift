import FeatureSupport
import RPC
import Store
import TestSupport

@testable import Service

extension MethodCase {
    /// The cases of the uplink.
    static let uplink: [MethodCase] = [
        .good("uplink.status", as: .admin),
        .bad(.notAllowed, "uplink.status", as: .guest),
        .good("uplink.status", as: .admin) { core in
            try await core.call("uplink.board", ["name": "van"])
            return [:]
        },
        .good("uplink.verify", as: .admin),
        .bad(.notAllowed, "uplink.verify", as: .person("ada")),
        .good("uplink.board", as: .admin, ["name": "van"]),
        .bad(.invalidValue, "name", "uplink.board", as: .admin, ["name": "a/b"]),
        .bad(.invalidValue, "name", "uplink.board", as: .admin, ["name": ""]),
        .bad(.invalidValue, "name", "uplink.board", as: .admin, ["name": "bus"]) { core in
            try await core.store.write { _ = try Devices.add("bus/gps0", to: $0) }
            return [:]
        },
        .bad(.notAllowed, "uplink.board", as: .person("ada"), ["name": "van"]),
    ]
}
