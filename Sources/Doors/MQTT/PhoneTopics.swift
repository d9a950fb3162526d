/// The topics to which phones publish, and the devices that they name.
///
/// It is a filter of MQTT, such as `owntracks/+/+`. What stands for the levels `+` is the name of the device: `ada/phone` in
/// `owntracks/ada/phone`. Below such a topic, `event` has the crossings of regions.
struct PhoneTopics: Hashable, Sendable {
    private let levels: [Substring]

    /// The longest filter, and the longest topic, in bytes.
    private static let longest = 200
    /// The level below a phone's topic where it publishes that it has crossed the boundary of a region.
    private static let crossings = "event"

    /// Parses a filter; `nil` if it has no level `+`, a level `#`, or begins with `+`, or is no filter.
    init?(_ filter: String) {
        levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        guard filter.utf8.count <= Self.longest, levels.contains("+"), let first = levels.first, first != "+",
            !first.hasPrefix("$"),
            levels.allSatisfy({ $0 == "+" || !$0.isEmpty && Topics.isTopic(String($0)) })
        else { return nil }
    }

    /// What to subscribe to.
    var filters: [String] {
        let filter = levels.joined(separator: "/")
        return [filter, "\(filter)/\(Self.crossings)"]
    }

    /// Returns the name of the device that publishes to a topic; `nil` if it is no topic of a phone.
    func device(of topic: String) -> String? {
        guard topic.utf8.count <= 2 * Self.longest else { return nil }
        var parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == levels.count + 1, parts.last.map({ $0 == Self.crossings }) == true { parts.removeLast() }
        guard parts.count == levels.count else { return nil }
        var names: [Substring] = []
        for (level, part) in zip(levels, parts) {
            if level == "+" {
                guard !part.isEmpty else { return nil }
                names.append(part)
            } else if level != part {
                return nil
            }
        }
        return names.joined(separator: "/")
    }
}
