/// The secret of one reported device: 128 random bits as 32 hexadecimal digits.
///
/// It is the only thing by which a request is assigned to a device. It must never be logged, so its description does
/// not contain it.
public struct PhoneSecret: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of hexadecimal digits.
    public static let length = 32

    /// The 32 hexadecimal digits in lower case.
    public let text: String

    /// Takes a text that has the form of a secret; returns `nil` for any other.
    ///
    /// White space around it is removed and upper case becomes lower case, since people type and paste it.
    public init?(_ text: some StringProtocol) {
        // White space within reason; a longer text is not copied.
        guard text.utf8.count <= 2 * Self.length else { return nil }
        var digits: [UInt8] = []
        for byte in text.trimmingBlanks().utf8 {
            guard let value = Hexadecimal.value(of: byte) else { return nil }
            digits.append(Hexadecimal.digit(value))
        }
        guard digits.count == Self.length else { return nil }
        self.text = String(decoding: digits, as: UTF8.self)
    }

    /// Creates a new secret from 128 bits of a generator, which must be cryptographically secure outside of tests.
    public init(using generator: inout some RandomNumberGenerator) {
        var digits: [UInt8] = []
        for _ in 0..<2 {
            let bits: UInt64 = generator.next()
            for shift in stride(from: 60, through: 0, by: -4) {
                digits.append(Hexadecimal.digit(UInt8(truncatingIfNeeded: bits >> UInt64(shift))))
            }
        }
        text = String(decoding: digits, as: UTF8.self)
    }

    /// A text that does not contain the secret.
    public var description: String { "PhoneSecret(hidden)" }

    /// A mirror without children, so that a dump does not contain the secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
