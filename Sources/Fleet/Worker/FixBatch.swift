#if Fleet
import FleetStore
import Geodesy
public import Positioning
import Time

/// Fixes of devices of one partition, as a door or a publisher sends them in one message.
///
/// The bytes begin with two letters and the version. Publisher and number say which message it is, so that it is
/// applied once. Times and places are differences to the fix before; measures have all their bits, so that a worker
/// decides what a replay would.
public struct FixBatch: Hashable, Sendable {
    /// Consecutive fixes of one device.
    public struct Part: Hashable, Sendable {
        /// The name of the device: 1 to 200 bytes without control characters.
        public var device: String
        /// The fixes, in their order.
        public var fixes: [Fix]
        /// Whether the recording ends here, so that an open trip and stop end with it.
        public var ends: Bool

        /// Creates a part.
        public init(device: String, fixes: [Fix], ends: Bool = false) {
            (self.device, self.fixes, self.ends) = (device, fixes, ends)
        }
    }

    /// The id of the publisher: 32 hexadecimal digits.
    public var publisher: String
    /// The number of the message among those of its publisher for the partition, from 1.
    public var number: UInt64
    /// The parts, in their order.
    public var parts: [Part]

    /// The most bytes of a message.
    public static let longest = 1_048_576
    /// The most fixes of a message.
    public static let mostFixes = 10_000
    /// The most parts of a message.
    public static let mostParts = 2000
    /// The longest name of a device, in bytes of UTF-8.
    public static let longestName = 200

    private static let beginning = Array("WF".utf8) + [1]

    /// Creates a batch.
    public init(publisher: String, number: UInt64, parts: [Part]) {
        (self.publisher, self.number, self.parts) = (publisher, number, parts)
    }

    /// Whether a name can be that of a device of a fleet.
    public static func isName(_ name: String) -> Bool {
        (1...longestName).contains(name.utf8.count) && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

// MARK: Writing

extension FixBatch {
    /// The batch as the content of a message.
    ///
    /// - Complexity: O(*n*) for *n* fixes, of which one of a drive takes some 30 bytes.
    public var bytes: [UInt8] {
        var packer = BytePacker()
        packer.append(Self.beginning)
        packer.append(Self.identifier(publisher) ?? [UInt8](repeating: 0, count: 16))
        packer.word(number)
        packer.difference(Int64(parts.count), 0)
        for part in parts {
            packer.difference(Int64(part.device.utf8.count), 0)
            packer.append(part.device.utf8)
            packer.byte(part.ends ? 1 : 0)
            packer.difference(Int64(part.fixes.count), 0)
            var before = Place()
            for fix in part.fixes { Self.pack(fix, after: &before, into: &packer) }
        }
        return packer.bytes
    }

    private struct Place {
        var time: Int64 = 0
        var latitude: Int64 = 0
        var longitude: Int64 = 0
    }

    /// Which values a fix has, in the order of their bits.
    private struct Values: OptionSet {
        let rawValue: UInt8
        static let time = Values(rawValue: 1)
        static let altitude = Values(rawValue: 2)
        static let speed = Values(rawValue: 4)
        static let track = Values(rawValue: 8)
        static let accuracy = Values(rawValue: 16)
        static let hdop = Values(rawValue: 32)
        static let others = Values(rawValue: 64)
        static let beginsSegment = Values(rawValue: 128)
    }

    private static func pack(_ fix: Fix, after before: inout Place, into packer: inout BytePacker) {
        let measures: [(Values, Double?)] = [
            (.altitude, fix.altitude?.meters), (.speed, fix.speed?.metersPerSecond), (.track, fix.track?.degrees),
            (.accuracy, fix.accuracy?.meters), (.hdop, fix.hdop.flatMap { $0.isFinite ? $0 : nil }),
        ]
        var values: Values = fix.beginsSegment ? .beginsSegment : []
        if fix.time != nil { values.insert(.time) }
        for (value, measure) in measures where measure != nil { values.insert(value) }
        let hasOthers = fix.mode != nil || fix.satellites != nil || fix.kind != nil
        if hasOthers { values.insert(.others) }
        packer.byte(values.rawValue)
        if let time = fix.time?.milliseconds {
            packer.difference(time, before.time)
            before.time = time
        }
        let place = (Int64(fix.coordinate.latitudeE7), Int64(fix.coordinate.longitudeE7))
        packer.difference(place.0, before.latitude)
        packer.difference(place.1, before.longitude)
        (before.latitude, before.longitude) = place
        for case (_, let measure?) in measures { packer.word(measure.bitPattern) }
        guard hasOthers else { return }
        packer.byte(fix.mode?.rawValue ?? 0)
        // More satellites than there are count as these.
        packer.byte(fix.satellites.map { UInt8(clamping: $0 &+ 1) } ?? 0)
        packer.byte(fix.kind?.number ?? 0)
    }

    /// The 16 bytes of an id in hexadecimal digits; `nil` for another text.
    private static func identifier(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        return bytes
    }
}

// MARK: Reading

extension FixBatch {
    /// Why the content of a message is no batch.
    public struct Damage: Error, Hashable, Sendable, CustomStringConvertible {
        /// The reason, as a clause.
        public let description: String
    }

    /// Reads the content of a message, with all checks.
    ///
    /// - Throws: ``Damage`` if it is not a batch of this version.
    /// - Complexity: O(*n*) for *n* bytes.
    public init(reading bytes: [UInt8]) throws(Damage) {
        guard bytes.count <= Self.longest else { throw Damage(description: "the message is too long") }
        guard bytes.starts(with: Self.beginning.prefix(2)) else {
            throw Damage(description: "the message is no batch")
        }
        guard bytes.starts(with: Self.beginning) else {
            throw Damage(description: "the batch is of a version that this program does not know")
        }
        let damage = Damage(description: "the batch is damaged")
        var reader = ByteReader(Array(bytes.dropFirst(Self.beginning.count)))
        guard let id = reader.bytes(16), let number = reader.word(), number > 0, number <= UInt64(Int64.max),
            let count = reader.count(atMost: Self.mostParts)
        else { throw damage }
        self.init(publisher: Self.digits(id), number: number, parts: [])
        var rest = Self.mostFixes
        for _ in 0..<count {
            guard let length = reader.count(atMost: Self.longestName), let name = reader.bytes(length),
                let device = String(validating: name, as: UTF8.self), Self.isName(device),
                let flags = reader.byte(), flags <= 1, let fixes = reader.count(atMost: rest)
            else { throw damage }
            rest -= fixes
            var part = Part(device: device, fixes: [], ends: flags == 1)
            var before = Place()
            for _ in 0..<fixes {
                guard let fix = Self.fix(after: &before, in: &reader) else { throw damage }
                part.fixes.append(fix)
            }
            parts.append(part)
        }
        guard reader.isAtEnd else { throw damage }
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }

    private static func fix(after before: inout Place, in reader: inout ByteReader) -> Fix? {
        guard let byte = reader.byte() else { return nil }
        let values = Values(rawValue: byte)
        var time: Timestamp?
        if values.contains(.time) {
            guard let sum = reader.sum(before.time), let moment = Timestamp(exactly: sum) else { return nil }
            before.time = sum
            time = moment
        }
        guard let latitude = reader.sum(before.latitude), let longitude = reader.sum(before.longitude),
            let latitudeE7 = Int32(exactly: latitude), let longitudeE7 = Int32(exactly: longitude),
            let place = Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
        else { return nil }
        (before.latitude, before.longitude) = (latitude, longitude)
        var fix = Fix(time: time, coordinate: place, beginsSegment: values.contains(.beginsSegment))
        var measures: [Double] = []
        for value in [Values.altitude, .speed, .track, .accuracy, .hdop] where values.contains(value) {
            guard let word = reader.word(), case let measure = Double(bitPattern: word), measure.isFinite else {
                return nil
            }
            measures.append(measure)
        }
        var rest = measures[...]
        if values.contains(.altitude) { fix.altitude = rest.popFirst().map(Distance.meters) }
        if values.contains(.speed) { fix.speed = rest.popFirst().map(Speed.metersPerSecond) }
        if values.contains(.track) { fix.track = rest.popFirst().map(Angle.degrees) }
        if values.contains(.accuracy) { fix.accuracy = rest.popFirst().map(Distance.meters) }
        if values.contains(.hdop) { fix.hdop = rest.popFirst() }
        guard values.contains(.others) else { return fix }
        guard let mode = reader.byte(), let satellites = reader.byte(), let kind = reader.byte() else { return nil }
        fix.mode = FixMode(rawValue: mode)
        fix.kind = TripKind(number: kind)
        guard (mode == 0) == (fix.mode == nil), (kind == 0) == (fix.kind == nil) else { return nil }
        if satellites > 0 { fix.satellites = Int(satellites) - 1 }
        return fix
    }
}
#endif
