package import Geodesy
package import Time

/// The metadata that a camera has recorded: the orientation, and when and where the picture was taken.
///
/// Reads the TIFF structure of Exif 2.32 (CIPA DC-008), sections 4.5 to 4.6.
package struct Exif: Hashable, Sendable {
    /// The Exif orientation, from 1 to 8, where 1 means that the picture is displayed as it is stored.
    var orientation = 1
    /// When the picture was taken.
    ///
    /// This is the camera's clock with the recorded time zone, or else the GPS time. If there is neither zone nor GPS
    /// time, the camera's clock is interpreted as UTC.
    package var taken: Timestamp?
    /// Where the picture was taken.
    package var place: Coordinate?

    /// The maximum number of entries that are read from a directory.
    ///
    /// Cameras write fewer than a hundred.
    private static let maximumEntries = 1000

    /// Creates empty metadata.
    init() {}

    /// Reads a TIFF structure.
    ///
    /// Damaged parts count as missing.
    init(_ tiff: PictureBytes) {
        guard let reader = TIFF(tiff) else { return }
        let first = reader.directory(at: tiff.number(at: 4, width: 4, isLittleEndian: reader.isLittleEndian))
        if let value = first[0x0112].flatMap({ reader.number($0) }), (1...8).contains(value) { orientation = value }
        let own = reader.directory(at: first[0x8769].flatMap { reader.number($0) })
        let gps = reader.directory(at: first[0x8825].flatMap { reader.number($0) })
        place = Self.place(gps, reader)
        taken = Self.time(
            gps: gps, reader,
            clocks: [(own[0x9003], own[0x9011]), (own[0x9004], own[0x9012]), (first[0x0132], own[0x9010])])
    }

    private typealias Directory = [Int: TIFF.Entry]

    private static func place(_ gps: Directory, _ reader: TIFF) -> Coordinate? {
        func degrees(_ entry: TIFF.Entry?, _ reference: TIFF.Entry?, _ positive: String, _ negative: String) -> Double?
        {
            guard let parts = entry.flatMap({ reader.rationals($0, count: 3) }),
                let side = reference.flatMap({ reader.text($0) })
            else { return nil }
            let value = parts[0] + parts[1] / 60 + parts[2] / 3600
            return side == positive ? value : side == negative ? -value : nil
        }
        guard let latitude = degrees(gps[2], gps[1], "N", "S"), let longitude = degrees(gps[4], gps[3], "E", "W")
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    private static func time(
        gps: Directory, _ reader: TIFF, clocks: [(clock: TIFF.Entry?, zone: TIFF.Entry?)]
    ) -> Timestamp? {
        let known = clocks.lazy.compactMap { clock, zone -> (time: Timestamp, zone: Int64?)? in
            guard let time = clock.flatMap({ reader.text($0) }).flatMap({ Self.clock($0) }) else { return nil }
            return (time, zone.flatMap { reader.text($0) }.flatMap { Self.minutes($0) })
        }.first
        if let known, let zone = known.zone { return known.time.advanced(byMilliseconds: -zone * 60_000) }
        if let day = gps[29].flatMap({ reader.text($0) }),
            let parts = gps[7].flatMap({ reader.rationals($0, count: 3) }),
            let date = Self.date(day), parts[0] < 24, parts[1] < 60, parts[2] < 61
        {
            let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
            return Timestamp(date, millisecondsOfDay: Int64((seconds * 1000).rounded()))
        }
        return known?.time
    }

    /// Parses a time of the form `YYYY:MM:DD HH:MM:SS`.
    private static func clock(_ text: String) -> Timestamp? {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let date = date(String(parts[0])) else { return nil }
        let numbers = parts[1].split(separator: ":").compactMap { Int64($0) }
        guard numbers.count == 3, (0..<24).contains(numbers[0]), (0..<60).contains(numbers[1]),
            (0...60).contains(numbers[2])
        else { return nil }
        return Timestamp(date, millisecondsOfDay: (numbers[0] * 3600 + numbers[1] * 60 + numbers[2]) * 1000)
    }

    /// Parses a date of the form `YYYY:MM:DD`.
    private static func date(_ text: String) -> CalendarDate? {
        let numbers = text.split(separator: ":").compactMap { Int($0) }
        // A clock that was never set shows an implausible year. The limits also keep the time, shifted by any zone,
        // within the range of a timestamp.
        guard numbers.count == 3, (1900..<3000).contains(numbers[0]) else { return nil }
        return CalendarDate(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// Parses an offset of the form `+HH:MM` or `-HH:MM`, and returns it in minutes.
    private static func minutes(_ text: String) -> Int64? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let numbers = text.dropFirst().split(separator: ":").compactMap { Int64($0) }
        guard numbers.count == 2, (0...14).contains(numbers[0]), (0..<60).contains(numbers[1]) else { return nil }
        return (sign == "-" ? -1 : 1) * (numbers[0] * 60 + numbers[1])
    }

    /// Returns a TIFF structure that contains only an orientation.
    static func turned(_ orientation: Int) -> [UInt8] {
        [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0, 0, 0, 0]
    }

    /// A reader of a TIFF structure that never reads beyond its end.
    private struct TIFF {
        let bytes: PictureBytes
        let isLittleEndian: Bool

        struct Entry {
            let type: Int
            let count: Int
            /// The offset of the value.
            let offset: Int
        }

        init?(_ bytes: PictureBytes) {
            if bytes.has([0x49, 0x49, 42, 0], at: 0) {
                isLittleEndian = true
            } else if bytes.has([0x4D, 0x4D, 0, 42], at: 0) {
                isLittleEndian = false
            } else {
                return nil
            }
            self.bytes = bytes
        }

        /// Returns the entries of the directory at an offset, by tag.
        ///
        /// Reading stops at the first damaged entry.
        func directory(at offset: Int?) -> Directory {
            guard let offset, let count = read(offset, 2) else { return [:] }
            var entries: Directory = [:]
            for index in 0..<min(count, maximumEntries) {
                let place = offset + 2 + index * 12
                guard let tag = read(place, 2), let type = read(place + 2, 2), let count = read(place + 4, 4) else {
                    break
                }
                let width = [1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 9: 4, 10: 8][type] ?? 1
                guard let value = width * count <= 4 ? place + 8 : read(place + 8, 4) else { break }
                entries[tag] = Entry(type: type, count: count, offset: value)
            }
            return entries
        }

        /// Returns the first integer of an entry, or `nil` if its type is neither SHORT nor LONG.
        func number(_ entry: Entry) -> Int? {
            switch entry.type {
            case 3: read(entry.offset, 2)
            case 4: read(entry.offset, 4)
            default: nil
            }
        }

        /// Returns the text of an entry up to its terminating zero, or `nil` if it is no text or longer than 64 bytes.
        func text(_ entry: Entry) -> String? {
            guard entry.type == 2, entry.count <= 64, let own = bytes.bytes(entry.offset..<entry.offset + entry.count)
            else { return nil }
            return String(decoding: own.prefix { $0 != 0 }, as: Unicode.ASCII.self)
        }

        /// Returns the first `count` unsigned rationals of an entry, or `nil` if there are fewer or one has a divisor
        /// of 0.
        func rationals(_ entry: Entry, count: Int) -> [Double]? {
            guard entry.type == 5, entry.count >= count else { return nil }
            let values = (0..<count).compactMap { index -> Double? in
                guard let dividend = read(entry.offset + index * 8, 4),
                    let divisor = read(entry.offset + index * 8 + 4, 4), divisor > 0
                else { return nil }
                return Double(dividend) / Double(divisor)
            }
            return values.count == count ? values : nil
        }

        private func read(_ offset: Int, _ width: Int) -> Int? {
            bytes.number(at: offset, width: width, isLittleEndian: isLittleEndian)
        }
    }
}
