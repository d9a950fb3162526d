import FeatureSupport
import GRDB
import Positioning
import RPC
import Store

@testable import Service
@testable import Sights

extension MethodCase {
    private static let toBob: JSONObject = ["subject": "sight/mill", "to": "bob"]

    /// Lets cai follow bob.
    private static let caiFollowsBob: Preparation = { core in
        try await core.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO follow SELECT a.number, b.number, 0 FROM person AS a, person AS b
                    WHERE a.id = 'cai' AND b.id = 'bob'
                    """)
        }
        return [:]
    }

    /// Lets cai suggest the mill to bob.
    private static let caiHasSuggested: Preparation = { core in
        _ = try await caiFollowsBob(core)
        return ["suggestion": try await core.call(as: "cai", "suggestions.send", toBob)["id"] ?? .null]
    }

    /// Lets cai send bob as many suggestions as are allowed within a day.
    private static let caiHasSuggestedAll: Preparation = { core in
        _ = try await caiFollowsBob(core)
        let sights = (0..<RateLimit.suggestion.maximum).map {
            Sight(id: "s\($0)", title: "S", place: fix(0).coordinate)
        }
        _ = try core.store.importSights(sights)
        for sight in sights {
            try await core.call(as: "cai", "suggestions.send", ["subject": .string("sight/\(sight.id)"), "to": "bob"])
        }
        return [:]
    }

    static let suggestions: [MethodCase] = [
        good("suggestions.send", as: .person("cai"), toBob, after: caiFollowsBob),
        bad(.notFound, nil, "suggestions.send", as: .person("cai"), ["subject": "sight/none", "to": "bob"]),
        bad(.notFound, nil, "suggestions.send", as: .person("cai"), ["subject": "sight/mill", "to": "nobody"]),
        bad(.notAllowed, nil, "suggestions.send", as: .person("cai"), toBob),
        bad(.conflict, nil, "suggestions.send", as: .person("cai"), toBob) { core in
            _ = try await caiHasSuggested(core)
            return [:]
        },
        bad(.unavailable, nil, "suggestions.send", as: .person("cai"), toBob, after: caiHasSuggestedAll),
        bad(.invalidValue, "to", "suggestions.send", as: .person("bob"), toBob),
        bad(.invalidValue, "subject", "suggestions.send", as: .person("cai"), ["subject": "x", "to": "bob"]),
        bad(
            .invalidValue, "text", "suggestions.send", as: .person("cai"),
            ["subject": "sight/mill", "to": "bob", "text": .string(String(repeating: "é", count: 501))],
            after: caiFollowsBob),

        good(
            "suggestions.list", as: .person("bob"),
            after: {
                _ = try await caiHasSuggested($0); return [:]
            }),
        bad(.invalidValue, "box", "suggestions.list", as: .person("bob"), ["box": "all"]),
        bad(.invalidValue, "after", "suggestions.list", as: .person("bob"), ["after": "x"]),

        good("suggestions.remove", as: .person("cai"), after: caiHasSuggested),
        good("suggestions.remove", as: .person("bob"), after: caiHasSuggested),
        bad(.notFound, nil, "suggestions.remove", as: .person("ada"), after: caiHasSuggested),

        good("subjects.share", as: .guest, ["subject": "sight/mill"]),
        bad(.notFound, nil, "subjects.share", as: .guest, ["subject": "sight/none"]),
        bad(.invalidValue, "subject", "subjects.share", as: .guest, ["subject": "mill"]),
    ]
}
