/// What a board publishes for its centre: the last level of the topic.
public enum BoardLane: String, Hashable, Sendable, CaseIterable {
    /// Batches of events.
    case events
    /// Parts of the traces of trips.
    case trace
}

/// The topics of the boards of a centre.
///
/// It is a filter of MQTT with one level `+`, such as `waymark/+`. What stands for that level is the name of the board.
/// Below it are `events` and `trace`, which the board publishes, and `ack`, which the centre does.
struct BoardTopics: Hashable, Sendable {
    private let levels: [Substring]

    /// The longest filter, in bytes.
    private static let longest = 200

    /// Parses a filter; `nil` if it does not have one level `+`, begins with it, or is no filter.
    init?(_ filter: String) {
        levels = filter.split(separator: "/", omittingEmptySubsequences: false)
        guard filter.utf8.count <= Self.longest, levels.count(where: { $0 == "+" }) == 1, let first = levels.first,
            first != "+", !first.hasPrefix("$"),
            levels.allSatisfy({ $0 == "+" || !$0.isEmpty && Topics.isTopic(String($0)) })
        else { return nil }
    }

    /// What to subscribe to.
    var filters: [String] { BoardLane.allCases.map { "\(levels.joined(separator: "/"))/\($0.rawValue)" } }

    /// Returns the name of the board that publishes to a topic, and what; `nil` if it is no topic of a board.
    func board(of topic: String) -> (name: String, lane: BoardLane)? {
        guard topic.utf8.count <= 2 * Self.longest else { return nil }
        var parts = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == levels.count + 1, let lane = parts.popLast().flatMap({ BoardLane(rawValue: String($0)) })
        else { return nil }
        var name = ""
        for (level, part) in zip(levels, parts) {
            if level == "+" {
                guard !part.isEmpty else { return nil }
                name = String(part)
            } else if level != part {
                return nil
            }
        }
        return (name, lane)
    }

    /// Returns the topic where a board finds the answers.
    func answers(to name: String) -> String {
        "\(levels.map { $0 == "+" ? name : String($0) }.joined(separator: "/"))/\(Topics.answers)"
    }
}
