extension Picture {
    /// Reads a JPEG file (ITU-T T.81, annex B).
    ///
    /// The picture's copy consists of the segments that are needed to decode it, each checked to have exactly the
    /// length that its content requires, and of newly made segments for colour and orientation. It contains neither
    /// thumbnails nor comments, and nothing that follows the picture, such as a video or a second picture.
    package init(jpeg bytes: PictureBytes) throws(Flaw) {
        var size: (width: Int, height: Int)?
        var exif: Exif?
        var hasScan = false
        var hasEnded = false
        var copy: PictureCopy? = PictureCopy()
        copy?.add([0xFF, 0xD8])
        var offset = 2
        while !hasEnded {
            guard let marker = Self.marker(bytes, at: offset) else {
                // A picture without its end marker can be displayed all the same.
                guard hasScan else { throw .damaged(.jpeg) }
                break
            }
            offset = marker.end
            if marker.code == 0xD9 {
                hasEnded = true
                continue
            }
            if marker.code == 0x01 || (0xD0...0xD8).contains(marker.code) { continue }
            guard let length = bytes.number(at: offset, width: 2), length >= 2,
                let segment = bytes.part(offset + 2..<offset + length)
            else {
                guard hasScan else { throw .damaged(.jpeg) }
                break
            }
            var end = offset + length
            switch marker.code {
            case 0xC4:
                if !Self.isFilled(segment, by: { Self.codeTable($0, at: $1) }) { copy = nil }
                copy?.add(marker.begin..<end)
            case 0xDB:
                if !Self.isFilled(segment, by: { $0[$1].map { $0 >> 4 == 0 ? 65 : 129 } }) { copy = nil }
                copy?.add(marker.begin..<end)
            case 0xDD:
                if segment.count != 2 { copy = nil }
                copy?.add(marker.begin..<end)
            case 0xC8, 0xCC: copy = nil
            case 0xC0...0xCF:
                guard let height = segment.number(at: 1, width: 2), let width = segment.number(at: 3, width: 2) else {
                    throw .damaged(.jpeg)
                }
                // All decoders support baseline, extended and progressive pictures with one frame. Other kinds get no
                // copy.
                let isUsual = size == nil && marker.code <= 0xC2
                if !isUsual || segment.count != 6 + 3 * Int(segment[5] ?? 0) { copy = nil }
                size = size ?? (width, height)
                copy?.add(marker.begin..<end)
            case 0xDA:
                hasScan = true
                if segment.count != 4 + 2 * Int(segment[0] ?? 0) { copy = nil }
                end = Self.endOfScan(bytes, from: end)
                copy?.add(marker.begin..<end)
            case 0xE1 where exif == nil && segment.has("Exif\0\0".utf8, at: 0):
                let found = segment.part(6..<segment.count).map { Exif($0) } ?? Exif()
                exif = found
                if found.orientation != 1 {
                    copy?.add(Self.segment(0xE1, Array("Exif\0\0".utf8) + Exif.turned(found.orientation)))
                }
            case 0xE0...0xEF: copy?.add(Self.plain(segment, marker.code))
            default: break
            }
            offset = end
        }
        guard let size, hasScan else { throw .damaged(.jpeg) }
        copy?.add([0xFF, 0xD9])
        // Without an end marker, it is not certain where the picture ends, so there is no copy.
        try self.init(
            .jpeg, width: size.width, height: size.height, exif: exif ?? Exif(), copy: hasEnded ? copy : nil)
    }

    /// Returns the marker at an offset, after any fill bytes, or `nil` if there is none.
    private static func marker(_ bytes: PictureBytes, at offset: Int) -> (begin: Int, end: Int, code: UInt8)? {
        guard bytes[offset] == 0xFF else { return nil }
        var next = offset + 1
        while bytes[next] == 0xFF { next += 1 }
        return bytes[next].map { (next - 1, next + 1, $0) }
    }

    /// Returns where the entropy-coded data at an offset end: at the first marker that is not part of them.
    private static func endOfScan(_ bytes: PictureBytes, from offset: Int) -> Int {
        var offset = offset
        while let next = bytes.firstIndex(of: 0xFF, from: offset) {
            guard let code = bytes[next + 1] else { return bytes.count }
            switch code {
            case 0, 0xD0...0xD7: offset = next + 2
            case 0xFF: offset = next + 1
            default: return next
            }
        }
        return bytes.count
    }

    /// Whether a segment consists of whole tables.
    ///
    /// - Parameter length: Returns the length of the table at an offset.
    private static func isFilled(_ segment: PictureBytes, by length: (PictureBytes, Int) -> Int?) -> Bool {
        var offset = 0
        while offset < segment.count {
            guard let next = length(segment, offset) else { return false }
            offset += next
        }
        return offset == segment.count
    }

    /// Returns the length of the Huffman table at an offset.
    private static func codeTable(_ segment: PictureBytes, at offset: Int) -> Int? {
        segment.bytes(offset + 1..<offset + 17).map { counts in 17 + counts.reduce(0) { $0 + Int($1) } }
    }

    /// Returns a new segment with the colour information of an application segment, or nothing if it has none.
    private static func plain(_ segment: PictureBytes, _ code: UInt8) -> [UInt8] {
        let profile = Array("ICC_PROFILE\0".utf8) + [1, 1]
        if code == 0xE0, segment.has("JFIF\0".utf8, at: 0), let units = segment.bytes(7..<12) {
            // Writes version 1.1, the units and densities, and no thumbnail.
            return Self.segment(0xE0, Array("JFIF\0".utf8) + [1, 1] + units + [0, 0])
        }
        if code == 0xEE, segment.has("Adobe".utf8, at: 0), let transform = segment[11] {
            return Self.segment(0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
        }
        // No camera writes a profile that needs several segments.
        if code == 0xE2, segment.has(profile, at: 0),
            let plain = segment.part(profile.count..<segment.count).flatMap(ColorProfile.plain)
        {
            return Self.segment(0xE2, profile + plain)
        }
        return []
    }

    /// Returns a segment.
    ///
    /// Its data must have less than 64 KiB.
    private static func segment(_ code: UInt8, _ data: [UInt8]) -> [UInt8] {
        let length = data.count + 2
        return [0xFF, code, UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length)] + data
    }
}
