/// The settings of the connection to an MQTT broker, and of what is published there.
public struct MQTTSettings: Hashable, Sendable {
    /// The address of the broker.
    public var broker: BrokerAddress
    /// The user to sign in as; `nil` for nobody.
    public var user: String?
    /// The file that holds the password; `nil` for none.
    public var passwordFile: String?
    /// The file of the authority that has signed the broker's certificate, in PEM form; `nil` for those of the system.
    public var authority: String?
    /// The SHA-256 fingerprint of the broker's certificate, 32 bytes; `nil` if authorities vouch for it.
    public var fingerprint: [UInt8]?
    /// The topic below which everything is published; `nil` for `waymark/` and the machine's name.
    public var topic: String?
    /// The topic below which Home Assistant looks for devices; `nil` for no Home Assistant.
    public var homeAssistant: String? = Self.usualHomeAssistant
    /// Whether the broker receives what an administrator sees, and not only what everybody sees.
    public var seesEverything = false
    /// The patterns of the types of events that are published.
    public var events = Self.usualEvents
    /// The shortest time between two positions of a device, in seconds.
    public var interval = 10.0
    /// The shortest way between two positions of a device, in metres.
    public var distance = 25.0
    /// The filter of the topics to which phones publish, such as `owntracks/+/+`; `nil` if none do.
    public var phones: String?
    /// The filter of the topics to which boards publish for their centre, such as `waymark/+`; `nil` if none do.
    public var boards: String?

    /// The patterns of events about devices on their way.
    public static let usualEvents = ["geofence.*", "trip.*", "stop.*", "source.*"]

    /// The topic below which Home Assistant looks for devices, unless it is told another one.
    public static let usualHomeAssistant = "homeassistant"

    /// Creates settings for a broker without a user.
    public init(broker: BrokerAddress) { self.broker = broker }

    /// The reason why these settings are refused, with the key that is wrong; `nil` if they are valid.
    public var refusal: (key: String, reason: String)? {
        if !broker.isSecure, authority != nil || fingerprint != nil {
            let key = authority == nil ? "mqtt.fingerprint" : "mqtt.ca"
            return (key, "it is only for TLS; write mqtts:// in mqtt.url")
        }
        if authority != nil, fingerprint != nil {
            return ("mqtt.fingerprint", "mqtt.ca and mqtt.fingerprint are two ways to know the broker; set one of them")
        }
        if user == nil, passwordFile != nil { return ("mqtt.password-file", "a password needs a user: set mqtt.user") }
        for (key, topic) in [("mqtt.topic", topic), ("mqtt.homeassistant", homeAssistant)] {
            if let topic, !Topics.isTopic(topic) {
                return (key, "it must be a topic without +, # and spaces, such as waymark/van")
            }
        }
        if let phones, PhoneTopics(phones) == nil {
            return ("mqtt.phones", "it must be a topic with + for the device's name, such as owntracks/+/+")
        }
        if let boards, BoardTopics(boards) == nil {
            return ("mqtt.boards", "it must be a topic with one + for the board's name, such as waymark/+")
        }
        return nil
    }

    /// Returns the topic below which everything is published.
    ///
    /// - Parameter machine: The name of the machine, for the usual topic.
    public func base(machine: String) -> String { Topics(self, machine: machine).base }

    /// Parses the SHA-256 fingerprint of a certificate: 64 hexadecimal digits, with or without colons between bytes.
    ///
    /// - Returns: The 32 bytes; `nil` if the text is no such fingerprint.
    public static func fingerprint(_ text: String) -> [UInt8]? {
        let digits = text.filter { $0 != ":" }.utf8.map { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
            default: nil
            }
        }
        guard digits.count == 64, !digits.contains(nil) else { return nil }
        let values = digits.compactMap(\.self)
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
