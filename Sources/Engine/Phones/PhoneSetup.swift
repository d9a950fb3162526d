internal import TextCoding

/// The addresses and the link by which an app is set up for one device.
///
/// They contain the secret, so they are shown once, when the secret is made, and never stored.
public struct PhoneSetup: Sendable {
    /// The name of the device.
    public let device: String
    /// Its secret.
    public let secret: PhoneSecret
    /// The address of the door, with a slash at its end: `https://van.example/in/`.
    public let door: String

    /// Creates the addresses below a server's address, such as `https://van.example`, with or without a slash.
    public init(device: String, secret: PhoneSecret, server: String) {
        self.device = device
        self.secret = secret
        let end = server.utf8.lastIndex { $0 != UInt8(ascii: "/") }
        door = (end.map { String(server[...$0]) } ?? "") + "/in/"
    }

    /// The address for OwnTracks, with the secret as its password.
    public var owntracks: String { door }
    /// The address for Overland, with the secret as its access token.
    public var overland: String { door }
    /// The address for Traccar Client 9 and later, with the secret as its device identifier.
    public var traccar: String { door }
    /// The address for apps of OsmAnd's protocol, which append their parameters.
    public var osmand: String { "\(door)?id=\(secret.text)" }
    /// The address for the app OsmAnd itself, which replaces the numbers by its values.
    ///
    /// `app=osmand` says that its speed is in metres per second, and `hdop` a radius in metres.
    public var osmandApp: String {
        osmand + "&app=osmand&lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&bearing={6}"
    }
    /// The address for GPSLogger's custom URL, which replaces `%ALL` by its parameters.
    public var gpslogger: String { "\(door)\(secret.text)?%ALL" }

    /// The link that sets OwnTracks up when it is opened on the phone.
    ///
    /// The configuration is written in ASCII without `>`, `?`, `~` and DEL, and filled with spaces to a multiple of
    /// three bytes. So its Base64 has neither `+`, `/` nor `=`, which the link parsers of iOS and Android read
    /// differently. The device's name is shortened, so that the link fits a ``QRCode``; it means nothing to the server.
    ///
    /// - SeeAlso: <https://owntracks.org/booklet/features/remoteconfig/>
    public var config: String {
        let name = Self.jsonString(plainName)
        let tracker = Self.jsonString(String(plainName.prefix(2)))
        var text =
            #"{"_type":"configuration","mode":3,"url":\#(Self.jsonString(door)),"auth":true,"usePassword":true,"#
            + #""username":\#(name),"password":"\#(secret.text)","deviceId":\#(name),"tid":\#(tracker)}"#
        while text.utf8.count % 3 != 0 { text += " " }
        return "owntracks:///config?inline=" + Base64.encode(Array(text.utf8))
    }

    /// The longest name in the configuration, in bytes as escaped: eight characters of most scripts, or 48 of ASCII.
    ///
    /// The name is there twice, and Base64 adds a third. With an address of 150 bytes the link has less than 600.
    private static let maximumNameLength = 48

    /// The name as OwnTracks can use it as a user and in a topic: without `:`, `/`, `+` and `#`, and not empty.
    private var plainName: String {
        var name = ""
        var length = 0
        for character in device {
            let character: Character = ":/+#".contains(character) ? "-" : character
            length += Self.jsonString(String(character)).utf8.count - 2
            guard length <= Self.maximumNameLength else { break }
            name.append(character)
        }
        return name.isEmpty ? "waymark" : name
    }

    /// Returns a JSON string of letters, digits and safe punctuation of ASCII; everything else is escaped.
    private static func jsonString(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for unit in text.utf16 {
            switch unit {
            case 0x20...0x7D where !#""\>?"#.utf16.contains(unit): bytes.append(UInt8(truncatingIfNeeded: unit))
            default:
                bytes.append(contentsOf: "\\u".utf8)
                for shift in [12, 8, 4, 0] as [UInt16] {
                    bytes.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: unit >> shift)))
                }
            }
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
