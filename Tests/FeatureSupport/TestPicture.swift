import Foundation

@testable package import ImageMetadata
@testable import Service

/// Small pictures for tests, made byte by byte.
package enum TestPicture {
    // MARK: Camera metadata

    /// The metadata of a camera, written as a TIFF structure.
    package struct Notes {
        package var orientation: Int?
        /// The local time, as `YYYY:MM:DD HH:MM:SS`.
        package var clock: String?
        /// The time zone, as `+HH:MM`.
        package var zone: String?
        /// The latitude in whole degrees, minutes and hundredths of seconds.
        package var latitude: (side: String, parts: [Int])?
        package var longitude: (side: String, parts: [Int])?
        package var gpsDay: String?
        package var gpsTime: [Int]?
        package var isLittleEndian = false

        package init(
            orientation: Int? = nil, clock: String? = nil, zone: String? = nil,
            latitude: (side: String, parts: [Int])? = nil, longitude: (side: String, parts: [Int])? = nil
        ) {
            self.orientation = orientation
            self.clock = clock
            self.zone = zone
            self.latitude = latitude
            self.longitude = longitude
        }

        /// The TIFF structure in the chosen byte order.
        package var tiff: [UInt8] {
            var first: [Entry] = []
            if let orientation { first.append(.short(0x0112, orientation)) }
            var own: [Entry] = []
            if let clock { own.append(.text(0x9003, clock)) }
            if let zone { own.append(.text(0x9011, zone)) }
            var gps: [Entry] = []
            if let latitude {
                gps += [.text(1, latitude.side), .quotients(2, latitude.parts)]
            }
            if let longitude {
                gps += [.text(3, longitude.side), .quotients(4, longitude.parts)]
            }
            if let gpsTime { gps.append(.quotients(7, gpsTime)) }
            if let gpsDay { gps.append(.text(29, gpsDay)) }
            let hasOwn = !own.isEmpty
            let hasGPS = !gps.isEmpty
            // The first directory starts at offset 8; the directories that it points to follow it.
            let count = first.count + (hasOwn ? 1 : 0) + (hasGPS ? 1 : 0)
            let ownPlace = 8 + 2 + count * 12 + 4 + first.reduce(0) { $0 + $1.outer }
            let gpsPlace = ownPlace + (hasOwn ? 2 + own.count * 12 + 4 + own.reduce(0) { $0 + $1.outer } : 0)
            if hasOwn { first.append(.long(0x8769, ownPlace)) }
            if hasGPS { first.append(.long(0x8825, gpsPlace)) }
            var bytes: [UInt8] = isLittleEndian ? [0x49, 0x49, 42, 0] : [0x4D, 0x4D, 0, 42]
            bytes += number(8, 4)
            bytes += directory(first, at: 8)
            if hasOwn { bytes += directory(own, at: ownPlace) }
            if hasGPS { bytes += directory(gps, at: gpsPlace) }
            return bytes
        }

        private struct Entry {
            var tag: Int
            var type: Int
            var count: Int
            var values: [(value: Int, width: Int)]
            var length: Int { values.reduce(0) { $0 + $1.width } }
            /// The number of bytes outside of the directory.
            var outer: Int { length > 4 ? length : 0 }

            static func short(_ tag: Int, _ value: Int) -> Entry {
                Entry(tag: tag, type: 3, count: 1, values: [(value, 2)])
            }
            static func long(_ tag: Int, _ value: Int) -> Entry {
                Entry(tag: tag, type: 4, count: 1, values: [(value, 4)])
            }
            static func text(_ tag: Int, _ text: String) -> Entry {
                Entry(
                    tag: tag, type: 2, count: text.utf8.count + 1, values: (Array(text.utf8) + [0]).map { (Int($0), 1) }
                )
            }
            /// Makes an entry of quotients; with three parts, the last divisor is 100.
            static func quotients(_ tag: Int, _ parts: [Int]) -> Entry {
                let values = parts.enumerated().flatMap { index, part in [(part, 4), (index == 2 ? 100 : 1, 4)] }
                return Entry(tag: tag, type: 5, count: parts.count, values: values)
            }
        }

        private func number(_ value: Int, _ width: Int) -> [UInt8] {
            let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return isLittleEndian ? bytes : bytes.reversed()
        }

        private func directory(_ entries: [Entry], at place: Int) -> [UInt8] {
            var bytes = number(entries.count, 2)
            var outer: [UInt8] = []
            let end = place + 2 + entries.count * 12 + 4
            for entry in entries {
                let own = entry.values.flatMap { number($0.value, $0.width) }
                bytes += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
                if own.count > 4 {
                    bytes += number(end + outer.count, 4)
                    outer += own
                } else {
                    bytes += own + [UInt8](repeating: 0, count: 4 - own.count)
                }
            }
            return bytes + number(0, 4) + outer
        }
    }

    /// Amsterdam on 2026-05-01 at 12:00:01, by a clock two hours ahead of UTC.
    package static let notes = Notes(
        orientation: 6, clock: "2026:05:01 12:00:01", zone: "+02:00", latitude: ("N", [52, 22, 1200]),
        longitude: ("E", [4, 53, 2400]))

    // MARK: JPEG

    /// Returns a JPEG of this size, one grey block repeated, that every decoder reads.
    package static func jpeg(
        width: Int = 16, height: Int = 8, notes: Notes? = nil, more: [[UInt8]] = [], tail: [UInt8] = []
    )
        -> [UInt8]
    {
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
        if let notes { bytes += segment(0xE1, Array("Exif\0\0".utf8) + notes.tiff) }
        for segment in more { bytes += segment }
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        bytes += segment(0xC0, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0])
        // One code of one bit in each table: no difference, and end of block.
        bytes += segment(0xC4, [0x00, 1] + [UInt8](repeating: 0, count: 15) + [0])
        bytes += segment(0xC4, [0x10, 1] + [UInt8](repeating: 0, count: 15) + [0])
        bytes += segment(0xDA, [1, 1, 0x00, 0, 63, 0])
        // Two zero bits for each block, padded with ones.
        let bits = (width + 7) / 8 * ((height + 7) / 8) * 2
        bytes += [UInt8](repeating: 0, count: bits / 8)
        if bits % 8 != 0 { bytes.append(0xFF >> UInt8(bits % 8)) }
        if bytes.last == 0xFF { bytes.append(0) }
        return bytes + [0xFF, 0xD9] + tail
    }

    package static func segment(_ code: UInt8, _ data: [UInt8]) -> [UInt8] {
        [0xFF, code] + big(data.count + 2, 2) + data
    }

    // MARK: PNG

    /// Returns a black PNG of one bit per pixel that every decoder reads.
    package static func png(
        width: Int = 9, height: Int = 5, notes: Notes? = nil, more: [[UInt8]] = [], tail: [UInt8] = []
    )
        -> [UInt8]
    {
        var bytes = Picture.pngSignature
        bytes += Picture.chunk("IHDR", big(width, 4) + big(height, 4) + [1, 0, 0, 0, 0])
        if let notes { bytes += Picture.chunk("eXIf", notes.tiff) }
        for chunk in more { bytes += chunk }
        bytes += Picture.chunk("IDAT", stored([UInt8](repeating: 0, count: ((width + 7) / 8 + 1) * height)))
        return bytes + Picture.chunk("IEND", []) + tail
    }

    /// Returns a zlib stream with at most 65,535 stored bytes (RFC 1950, 1951).
    private static func stored(_ data: [UInt8]) -> [UInt8] {
        var (low, high) = (1, 0)
        for byte in data {
            low = (low + Int(byte)) % 65521
            high = (high + low) % 65521
        }
        return [0x78, 0x01, 1] + little(data.count, 2) + little(~data.count & 0xFFFF, 2) + data + big(high, 2)
            + big(low, 2)
    }

    // MARK: WebP

    /// Returns a WebP of the extended form whose picture is only a header.
    package static func webp(
        width: Int = 7, height: Int = 3, notes: Notes? = nil, more: [[UInt8]] = [], tail: [UInt8] = []
    )
        -> [UInt8]
    {
        let flags: UInt8 = (notes == nil ? 0 : 0x08) | (more.isEmpty ? 0 : 0x04)
        var chunks = chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
        chunks += chunk("VP8L", [0x2F] + little((width - 1) | (height - 1) << 14, 4) + [0, 0])
        if let notes { chunks += chunk("EXIF", notes.tiff) }
        for one in more { chunks += one }
        return Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks + tail
    }

    /// Returns a chunk of a WebP file.
    package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
    }

    // MARK: HEIC

    /// Returns a HEIC file whose picture data no decoder can read.
    package static func heic(
        width: Int = 12, height: Int = 10, turns: UInt8? = nil, notes: Notes? = nil, xmp: [UInt8]? = nil,
        tail: [UInt8] = []
    ) -> [UInt8] {
        let picture = [UInt8](repeating: 0xAB, count: 40)
        let exif = notes.map { [0, 0, 0, 6] + Array("Exif\0\0".utf8) + $0.tiff }
        var items: [(id: Int, type: String, data: [UInt8])] = [(1, "hvc1", picture)]
        if let exif { items.append((2, "Exif", exif)) }
        if let xmp { items.append((3, "mime", xmp)) }
        func meta(at place: Int) -> [UInt8] {
            var information = [UInt8](repeating: 0, count: 4) + big(items.count, 2)
            var locations: [UInt8] = [0, 0, 0, 0, 0x44, 0x00] + big(items.count, 2)
            var offset = place
            for item in items {
                information += box("infe", [2, 0, 0, 0] + big(item.id, 2) + [0, 0] + Array(item.type.utf8) + [0])
                locations += big(item.id, 2) + [0, 0] + big(1, 2) + big(offset, 4) + big(item.data.count, 4)
                offset += item.data.count
            }
            var properties = box("ispe", [0, 0, 0, 0] + big(width, 4) + big(height, 4))
            if let turns { properties += box("irot", [turns]) }
            let associations: [UInt8] =
                [0, 0, 0, 0] + big(1, 4) + big(1, 2) + (turns == nil ? [1, 0x81] : [2, 0x81, 0x82])
            return box(
                "meta",
                [0, 0, 0, 0]
                    + box("hdlr", [0, 0, 0, 0, 0, 0, 0, 0] + Array("pict".utf8) + [UInt8](repeating: 0, count: 13))
                    + box("pitm", [0, 0, 0, 0] + big(1, 2)) + box("iinf", information) + box("iloc", locations)
                    + box("iprp", box("ipco", properties) + box("ipma", associations)))
        }
        let type = box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8))
        let place = type.count + meta(at: 0).count + 8
        return type + meta(at: place) + box("mdat", items.flatMap(\.data)) + tail
    }

    /// Returns a box of a HEIC file.
    package static func box(_ name: String, _ data: [UInt8]) -> [UInt8] {
        big(data.count + 8, 4) + Array(name.utf8) + data
    }

    // MARK: Colours

    /// Returns a colour profile of three primaries with a secret in its description and in a tag of its own.
    package static func profile(secret: [UInt8]) -> [UInt8] {
        let place = Array("XYZ ".utf8) + [0, 0, 0, 0] + [UInt8](repeating: 1, count: 12)
        let curve = Array("curv".utf8) + [0, 0, 0, 0] + big(1, 4) + [2, 0, 0, 0]
        let hidden = Array("desc".utf8) + [0, 0, 0, 0] + big(secret.count, 4) + secret
        var tags = ["rXYZ", "gXYZ", "bXYZ", "wtpt"].map { ($0, place) }
        tags += ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
        tags += [("desc", hidden), ("mine", hidden)]
        var table = big(tags.count, 4)
        var data: [UInt8] = []
        for (name, element) in tags {
            table += Array(name.utf8) + big(132 + tags.count * 12 + data.count, 4) + big(element.count, 4)
            data += element
        }
        var header = big(132 + tags.count * 12 + data.count, 4) + Array("SECR".utf8) + [2, 0, 0, 0]
        header += Array("mntrRGB XYZ ".utf8) + [UInt8](repeating: 7, count: 12) + Array("acsp".utf8)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + table + data
    }

    /// Returns `count` bytes that a shortened box leaves over: a `free` box if they are enough for one.
    package static func free(_ count: Int) -> [UInt8] {
        count < 8 ? [UInt8](repeating: 0, count: count) : box("free", [UInt8](repeating: 0, count: count - 8))
    }

    // MARK: Numbers

    package static func big(_ value: Int, _ width: Int) -> [UInt8] { little(value, width).reversed() }

    package static func little(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}

extension Picture {
    /// Reads the picture in some bytes.
    package init(bytes: [UInt8]) throws(Flaw) { try self.init(PictureBytes(Data(bytes))) }
}
