/// Who sees a plan, or something in it: the four steps of one ladder.
enum Level: Int, CaseIterable, Comparable, Sendable {
    /// Of a plan its owner; of something in it whoever added it.
    case me
    /// Its members, and friends who may change it.
    case members
    /// The friends of its owner besides, and those who are asked to be members.
    case friends
    /// Everybody.
    case everyone

    /// What it is called on the wire.
    var name: String {
        switch self {
        case .me: "me"
        case .members: "members"
        case .friends: "friends"
        case .everyone: "everyone"
        }
    }

    /// The level of a name.
    init?(name: String) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }

    /// All names, the narrowest first.
    static let names = allCases.map(\.name)

    static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue < rhs.rawValue }
}
