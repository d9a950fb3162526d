/// The four steps of the ladder that says who sees a plan or an item in it.
enum Level: Int, CaseIterable, Comparable, Sendable {
    /// The owner of a plan, or the person who added an item.
    case me
    /// Also the members, and friends who may change the plan.
    case members
    /// Also the friends of the owner, and people who are asked to be members.
    case friends
    /// Everybody.
    case everyone

    /// The name on the wire.
    var name: String {
        switch self {
        case .me: "me"
        case .members: "members"
        case .friends: "friends"
        case .everyone: "everyone"
        }
    }

    /// Creates the level with a name, or returns `nil` if there is none.
    init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// All names, narrowest first.
    static let names = allCases.map(\.name)

    static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
}
