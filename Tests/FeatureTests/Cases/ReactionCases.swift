import FeatureSupport
import RPC

@testable import Service

extension MethodCase {
    private static let heart: JSONObject = ["subject": "sight/mill", "kind": "heart"]

    static let reactions: [MethodCase] = [
        good("reactions.set", as: .person("bob"), ["subject": "sight/mill", "kind": "heart", "on": true]),
        good("reactions.set", as: .person("ada"), ["subject": "sight/mill", "kind": "save", "on": false]),
        bad(
            .notFound, nil, "reactions.set", as: .person("bob"), ["subject": "sight/none", "kind": "heart", "on": true]),
        bad(
            .invalidValue, "subject", "reactions.set", as: .person("bob"),
            ["subject": "moon/1", "kind": "heart", "on": true]),
        bad(
            .invalidValue, "kind", "reactions.set", as: .person("bob"),
            ["subject": "sight/mill", "kind": "hate", "on": true]),
        bad(.invalidValue, "on", "reactions.set", as: .person("bob"), heart),

        good("reactions.get", as: .guest, ["subject": "sight/mill"]),
        bad(.notFound, nil, "reactions.get", as: .guest, ["subject": "sight/none"]),
        bad(.invalidValue, "subject", "reactions.get", as: .guest, ["subject": "sight/"]),

        good("reactions.list", as: .guest, heart),
        bad(.notFound, nil, "reactions.list", as: .guest, ["subject": "sight/none", "kind": "like"]),
        bad(.invalidValue, "kind", "reactions.list", as: .person("ada"), ["subject": "sight/mill", "kind": "save"]),
        bad(
            .invalidValue, "after", "reactions.list", as: .guest,
            ["subject": "sight/mill", "kind": "like", "after": "x"]),

        good("reactions.mine", as: .person("bob"), ["kind": "save"]),
        bad(.invalidValue, "kind", "reactions.mine", as: .person("bob"), ["kind": "all"]),
        bad(.invalidValue, "after", "reactions.mine", as: .person("bob"), ["kind": "save", "after": ""]),
    ]
}
