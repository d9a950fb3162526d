/// The topics of one board.
struct Topics: Hashable, Sendable {
    /// The topic below which everything of the board is.
    let base: String
    /// The topic below which Home Assistant looks for devices.
    let homeAssistant: String

    init(_ settings: MQTTSettings, machine: String) {
        base = settings.topic ?? "waymark/\(Self.word(machine.isEmpty ? "board" : machine))"
        homeAssistant = settings.homeAssistant ?? MQTTSettings.usualHomeAssistant
    }

    /// The name under which the broker knows the board.
    ///
    /// It stays the same, so that the broker ends an old connection of the board, and tells its will, before it takes a
    /// new one.
    var client: String { base.split(separator: "/").map(Self.identifier).joined(separator: "-") }

    /// `online` or `offline`, retained.
    var status: String { "\(base)/status" }
    /// The places and states of devices, for each of which a device's name stands.
    var positions: String { "\(base)/device/+/position" }
    var states: String { "\(base)/device/+/state" }
    /// The descriptions for Home Assistant.
    var descriptions: String { "\(homeAssistant)/device/+/config" }
    /// Where Home Assistant says that it has started.
    var homeAssistantStatus: String { "\(homeAssistant)/status" }

    /// What this board hands to its centre.
    func uplink(_ lane: BoardLane) -> String { "\(base)/\(lane.rawValue)" }
    /// Where the centre answers this board, retained.
    var answers: String { "\(base)/\(Self.answers)" }
    /// The last level of the topic where a centre answers a board.
    static let answers = "ack"

    func event(_ type: String) -> String { "\(base)/event/\(Self.word(type))" }
    func position(of device: String) -> String { "\(base)/device/\(Self.word(device))/position" }
    func state(of device: String) -> String { "\(base)/device/\(Self.word(device))/state" }
    /// Where Home Assistant learns of one kind of events of a device, such as `geofence`.
    func occurrences(_ kind: String, of device: String) -> String { "\(base)/device/\(Self.word(device))/\(kind)" }

    /// The name of a device for Home Assistant, which is unique among all boards of a broker.
    func identifier(of device: String) -> String {
        let board = base.split(separator: "/").last.map(Self.identifier) ?? "board"
        return "waymark_\(board)_\(Self.identifier(device))"
    }

    /// Where the description of a device for Home Assistant is.
    func description(of identifier: String) -> String { "\(homeAssistant)/device/\(identifier)/config" }

    /// Returns whether a text can be a topic to publish to.
    static func isTopic(_ text: String) -> Bool {
        (1...200).contains(text.utf8.count) && !text.hasPrefix("/") && !text.hasSuffix("/") && !text.hasPrefix("$")
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !"+#".unicodeScalars.contains($0)
            }
    }

    /// Returns a text as one level of a topic, in which all but letters, digits, `.`, `-` and `_` of ASCII are encoded
    /// as in URLs.
    static func word(_ text: some StringProtocol) -> String { encoded(text, allowing: ".-_", mark: "%") }

    /// Returns a text as a name of letters, digits, `-` and `_`, as Home Assistant takes them.
    static func identifier(_ text: some StringProtocol) -> String { encoded(text, allowing: "-_", mark: "--") }

    private static func encoded(_ text: some StringProtocol, allowing marks: String, mark: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
            if isPlain || marks.unicodeScalars.contains(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += mark + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }
}
