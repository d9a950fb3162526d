import FeatureSupport
import Foundation
import RPC
import TestSupport

@testable import Service

extension MethodCase {
    /// The cases of the maps beside the store.
    static let maps: [MethodCase] = [
        .good("maps.list", as: .guest),
        .good("maps.list", as: .guest, after: alps),
        .good("maps.remove", as: .admin, ["name": "alps"], after: alps),
        .bad(.notFound, "maps.remove", as: .admin, ["name": "dales"], after: alps),
        .bad(.notFound, "maps.remove", as: .admin, ["name": "../alps"], after: alps),
        .bad(.notAllowed, "maps.remove", as: .person("ada"), ["name": "alps"], after: alps),
        .bad(.invalidValue, "name", "maps.remove", as: .admin, ["name": ""]),
        .good("maps.remove", as: .admin, ["name": "coast"]) { core in
            try await core.call("maps.addNames", ["name": "coast", "text": .string(street)])
            return [:]
        },

        .good("maps.addNames", as: .admin, ["name": "coast", "text": .string(street)]),
        .bad(.notAllowed, "maps.addNames", as: .person("ada"), ["name": "coast", "text": .string(street)]),
        .bad(.conflict, "maps.addNames", as: .admin, ["name": "coast", "text": .string(street), "part": 2]),
        .bad(.invalidValue, "text", "maps.addNames", as: .admin, ["name": "coast", "text": "Kerkstraat"]),
        .bad(.invalidValue, "name", "maps.addNames", as: .admin, ["name": "a b", "text": .string(street)]),
        .bad(.invalidValue, "part", "maps.addNames", as: .admin, ["name": "coast", "text": "", "part": 0]),
    ]

    /// A line of the names of a map.
    private static let street = "street\tresidential\t52.1\t5.1\t0\tKerkstraat\n"

    /// Puts a file into the folder of maps, which need not be a map that can be used.
    private static let alps: Preparation = { core in
        try Data().write(to: URL(fileURLWithPath: core.maps.file("alps.mbtiles")))
        return [:]
    }
}
