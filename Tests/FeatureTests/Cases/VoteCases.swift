import FeatureSupport
import GRDB
import RPC
import Store
import Testing

@testable import Service

extension MethodCase {
    private static let opening: JSONObject = [
        "subject": "Lunch", "options": ["Pizza", "Soup"], "participants": 3, "passcode": "1234", "limit": "1h",
        "colour": "green",
    ]

    private static func opening(_ name: String, _ value: JSONValue) -> JSONObject {
        var parameters = opening
        parameters[name] = value
        return parameters
    }

    /// Lets ada open a vote with a fixed id.
    private static let lunch: Preparation = { core in
        let id = "2709173"
        let isThere = try await core.store.read {
            try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM vote WHERE id = ?)", arguments: [id])
        }
        if isThere != true {
            let random = try await core.call(as: "ada", "votes.open", opening)["id"].text
            try await core.store.write {
                try $0.execute(sql: "UPDATE vote SET id = ? WHERE id = ?", arguments: [id, random])
            }
        }
        return ["vote": .string(id)]
    }

    /// Also lets bob in.
    private static let bobIsIn: Preparation = { core in
        let lunch = try await lunch(core)
        var entering = lunch
        entering["passcode"] = "1234"
        try await core.call(as: "bob", "votes.get", entering)
        return lunch
    }

    /// Also lets bob choose.
    private static let bobHasChosen: Preparation = { core in
        let lunch = try await bobIsIn(core)
        var choice = lunch
        choice["option"] = 1
        try await core.call(as: "bob", "votes.choose", choice)
        return lunch
    }

    /// Also lets bob finish.
    private static let bobIsDone: Preparation = { core in
        let lunch = try await bobHasChosen(core)
        try await core.call(as: "bob", "votes.done", lunch)
        return lunch
    }

    /// Also renames cai to Bob, lets him in and lets him finish.
    private static let twoBobs: Preparation = { core in
        let lunch = try await bobIsDone(core)
        try await core.store.write { try $0.execute(sql: "UPDATE person SET first_name = 'Bob' WHERE id = 'cai'") }
        var entering = lunch
        entering["passcode"] = "1234"
        try await core.call(as: "cai", "votes.get", entering)
        var choice = lunch
        choice["option"] = 2
        try await core.call(as: "cai", "votes.choose", choice)
        try await core.call(as: "cai", "votes.done", lunch)
        return lunch
    }

    /// Also excludes one of the two.
    private static let oneBob: Preparation = { core in
        let lunch = try await twoBobs(core)
        var exclusion = lunch
        exclusion["email"] = "cai@example.org"
        try await core.call(as: "ada", "votes.exclude", exclusion)
        return lunch
    }

    /// Also reaches the time limit.
    private static let ended: Preparation = { core in
        let lunch = try await twoBobs(core)
        core.clock.time = moment(3600)
        return lunch
    }

    private static let asking: JSONObject = ["plan": "rome", "subject": "Which weekend?", "options": ["One", "Two"]]

    /// Makes the plan `rome` of ada, of which bob is a member.
    private static let rome: Preparation = { core in
        let isThere = try await core.store.read {
            try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM plan WHERE id = 'rome')")
        }
        guard isThere != true else { return [:] }
        try await core.store.write { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO friend SELECT one.number, other.number, 0 FROM person AS one, person AS other
                    WHERE one.id <> other.id
                    """)
        }
        try await core.call(as: "ada", "plans.create", ["title": "Rome"])
        try await core.store.write { try $0.execute(sql: "UPDATE plan SET id = 'rome'") }
        try await core.call(as: "ada", "members.ask", ["plan": "rome", "person": "bob"])
        try await core.call(as: "bob", "members.confirm", ["plan": "rome"])
        return [:]
    }

    /// Also lets ada ask a question with a fixed id.
    private static let weekend: Preparation = { core in
        _ = try await rome(core)
        let random = try await core.call(as: "ada", "votes.ask", asking)["id"].text
        try await core.store.write {
            try $0.execute(sql: "UPDATE vote SET id = '3141592' WHERE id = ?", arguments: [random])
        }
        return ["vote": "3141592"]
    }

    /// Also lets ada and bob vote, while cai, who has joined since, has not.
    private static let answered: Preparation = { core in
        let weekend = try await weekend(core)
        for person in ["ada", "bob"] {
            if person == "bob" {
                try await core.call(as: "ada", "members.ask", ["plan": "rome", "person": "cai"])
                try await core.call(as: "cai", "members.confirm", ["plan": "rome"])
            }
            var choice = weekend
            choice["option"] = 1
            try await core.call(as: person, "votes.choose", choice)
            try await core.call(as: person, "votes.done", weekend)
        }
        return weekend
    }

    /// The cases of votes of a plan.
    static let asked: [MethodCase] = [
        .good("votes.ask", as: .person("ada"), asking, after: rome),
        .bad(.notFound, "votes.ask", as: .person("ada"), ["plan": "none", "subject": "A", "options": ["A", "B"]]),
        .bad(.notAllowed, "votes.ask", as: .person("bob"), asking, after: rome),
        .bad(
            .invalidValue, "options", "votes.ask", as: .person("ada"), asking("options", ["One", "one "]), after: rome),
        .bad(.conflict, "votes.ask", as: .person("ada"), ["subject": "A", "options": ["A", "B"]]) { core in
            ["plan": try #require(try await core.call(as: "ada", "plans.create", ["title": "Alone"])["id"])]
        },
        .good("votes.asked", as: .person("bob"), ["plan": "rome"]) {
            _ = try await weekend($0); return [:]
        },
        .bad(.notAllowed, "votes.asked", as: .person("cai"), ["plan": "rome"], after: rome),
        .bad(.notFound, "votes.asked", as: .person("bob"), ["plan": "none"]),
        .bad(.notFound, "votes.find", as: .person("cai"), after: weekend),
        .bad(.notFound, "votes.get", as: .person("cai"), after: weekend),
        .good("votes.end", as: .person("ada"), after: answered),
        .bad(.conflict, "votes.end", as: .person("ada"), after: weekend),
        .bad(.notAllowed, "votes.end", as: .person("bob"), after: weekend),
        .bad(.notAllowed, "votes.end", as: .person("ada"), after: lunch),
        noneOf("votes.end"),
        .good("votes.remove", as: .person("ada"), after: weekend),
        .bad(.notAllowed, "votes.remove", as: .person("bob"), after: weekend),
        .bad(.notFound, "votes.remove", as: .person("cai"), after: weekend),
    ]

    private static func asking(_ name: String, _ value: JSONValue) -> JSONObject {
        var parameters = asking
        parameters[name] = value
        return parameters
    }

    private static let cai: JSONObject = ["email": "cai@example.org"]
    private static let none: JSONObject = ["vote": "none"]

    private static func noneOf(_ method: String, _ more: JSONObject = [:]) -> MethodCase {
        var parameters = none
        for name in more.names { parameters[name] = more[name] }
        return .bad(.notFound, method, as: .person("ada"), parameters)
    }

    /// The cases of votes.
    static let votes: [MethodCase] = [
        .good("votes.open", as: .person("ada"), opening),
        .bad(.invalidValue, "options", "votes.open", as: .person("ada"), opening("options", ["Pizza"])),
        .bad(.invalidValue, "options", "votes.open", as: .person("ada"), opening("options", ["Pizza", "pizza "])),
        .bad(.invalidValue, "subject", "votes.open", as: .person("ada"), opening("subject", " ")),
        .bad(.invalidValue, "participants", "votes.open", as: .person("ada"), opening("participants", 1)),
        .bad(.invalidValue, "passcode", "votes.open", as: .person("ada"), opening("passcode", "1234567")),
        .bad(.invalidValue, "passcode", "votes.open", as: .person("ada"), opening("passcode", "12a")),
        .bad(.invalidValue, "passcode", "votes.open", as: .person("ada"), opening("passcode", "")),
        .bad(.invalidValue, "limit", "votes.open", as: .person("ada"), opening("limit", "2h")),
        .bad(.unavailable, "votes.open", as: .person("bob"), opening),

        .good(
            "votes.here", as: .person("ada"),
            after: {
                _ = try await lunch($0); return [:]
            }),
        .bad(.unavailable, "votes.here", as: .person("bob")),
        .bad(.invalidValue, "after", "votes.here", as: .person("ada"), ["after": "x"]),

        .good("votes.find", as: .person("bob"), after: lunch),
        noneOf("votes.find"),
        .good("votes.get", as: .person("ada"), after: lunch),
        .good("votes.get", as: .person("bob"), ["passcode": "1234"], after: lunch),
        .bad(.notAllowed, "votes.get", as: .person("bob"), after: lunch),
        .bad(.notAllowed, "votes.get", as: .person("bob"), ["passcode": "4321"], after: lunch),
        .bad(.invalidValue, "passcode", "votes.get", as: .person("bob"), ["passcode": "x"], after: lunch),
        noneOf("votes.get"),

        .good(
            "votes.list", as: .person("bob"), ["part": "attended", "text": "lun"],
            after: {
                _ = try await bobIsDone($0); return [:]
            }),
        .bad(.invalidValue, "part", "votes.list", as: .person("bob"), ["part": "all"]),

        .good("votes.choose", as: .person("bob"), ["option": 2], after: bobHasChosen),
        .bad(.notAllowed, "votes.choose", as: .person("bob"), ["option": 2], after: lunch),
        .bad(.conflict, "votes.choose", as: .person("bob"), ["option": 2], after: bobIsDone),
        .bad(.conflict, "votes.choose", as: .person("ada"), ["option": 2], after: ended),
        .bad(.invalidValue, "option", "votes.choose", as: .person("bob"), ["option": 3], after: bobIsIn),
        noneOf("votes.choose", ["option": 1]),

        .good("votes.done", as: .person("bob"), after: bobHasChosen),
        .bad(.notAllowed, "votes.done", as: .person("bob"), after: lunch),
        .bad(.conflict, "votes.done", as: .person("bob"), after: bobIsIn),
        .bad(.conflict, "votes.done", as: .person("bob"), after: bobIsDone),
        noneOf("votes.done"),

        .good("votes.choice", as: .person("bob"), after: bobIsDone),
        .bad(.notAllowed, "votes.choice", as: .person("cai"), after: bobIsDone),
        noneOf("votes.choice"),

        .good("votes.conflicts", as: .person("ada"), after: twoBobs),
        .bad(.notAllowed, "votes.conflicts", as: .person("bob"), after: twoBobs),
        noneOf("votes.conflicts"),

        .good("votes.exclude", as: .person("ada"), cai, after: twoBobs),
        .bad(.notAllowed, "votes.exclude", as: .person("bob"), cai, after: twoBobs),
        .bad(.notFound, "votes.exclude", as: .person("ada"), cai, after: bobIsDone),
        .bad(.conflict, "votes.exclude", as: .person("ada"), cai, after: ended),
        noneOf("votes.exclude", cai),

        .good("votes.include", as: .person("ada"), cai, after: oneBob),
        .bad(.notAllowed, "votes.include", as: .person("bob"), cai, after: oneBob),
        .bad(.conflict, "votes.include", as: .person("ada"), cai, after: ended),
        noneOf("votes.include", cai),

        .good("votes.settle", as: .person("ada"), ["name": "bob test"], after: oneBob),
        .bad(.notAllowed, "votes.settle", as: .person("bob"), after: twoBobs),
        .bad(.notFound, "votes.settle", as: .person("ada"), after: bobIsDone),
        .bad(.conflict, "votes.settle", as: .person("ada"), after: ended),
        noneOf("votes.settle"),
    ]
}
