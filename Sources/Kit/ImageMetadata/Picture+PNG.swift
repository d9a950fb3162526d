extension Picture {
    /// The signature at the beginning of every PNG file.
    package static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// The chunks that are copied, with the possible lengths of their data.
    ///
    /// They are the chunks that are needed to decode and display a picture. Profiles (`iCCP`) are not copied, because
    /// they are compressed and their content is therefore unknown.
    private static let pngChunks: [String: ClosedRange<Int>] = [
        "IHDR": 13...13, "PLTE": 3...768, "IDAT": 0...Int(UInt32.max), "tRNS": 1...256, "gAMA": 4...4, "cHRM": 32...32,
        "sRGB": 1...1, "cICP": 4...4, "sBIT": 1...4, "bKGD": 1...6, "pHYs": 9...9, "acTL": 8...8, "fcTL": 26...26,
        "fdAT": 4...Int(UInt32.max),
    ]
    /// The chunks that may occur more than once.
    private static let repeatedChunks: Set<String> = ["IDAT", "fcTL", "fdAT"]

    /// Reads a PNG file (ISO/IEC 15948, clause 5).
    package init(png bytes: PictureBytes) throws(Flaw) {
        var size: (width: Int, height: Int)?
        var exif: Exif?
        var copy = PictureCopy()
        copy.add(Self.pngSignature)
        var seen: Set<String> = []
        var offset = Self.pngSignature.count
        while offset < bytes.count {
            guard let length = bytes.number(at: offset, width: 4), let name = bytes.name(at: offset + 4),
                let data = bytes.part(offset + 8..<offset + 8 + length), data.count + 12 <= bytes.count - offset
            else { throw .damaged(.png) }
            let end = offset + 12 + length
            if size == nil {
                guard name == "IHDR", length == 13, let width = data.number(at: 0, width: 4),
                    let height = data.number(at: 4, width: 4)
                else { throw .damaged(.png) }
                size = (width, height)
            }
            let isNew = seen.insert(name).inserted
            if name == "IEND" {
                copy.add(Self.chunk("IEND", []))
                guard let size, seen.contains("IDAT") else { break }
                try self.init(.png, width: size.width, height: size.height, exif: exif ?? Exif(), copy: copy)
                return
            } else if name == "eXIf", isNew {
                let found = Exif(data)
                exif = found
                if found.orientation != 1 { copy.add(Self.chunk("eXIf", Exif.turned(found.orientation))) }
            } else if Self.pngChunks[name]?.contains(length) == true, isNew || Self.repeatedChunks.contains(name) {
                copy.add(offset..<end)
            }
            offset = end
        }
        throw .damaged(.png)
    }

    /// Returns a chunk with its length, name and checksum.
    package static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + checked + bigEndian(checksum(checked))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns the cyclic redundancy check of ISO 3309, as annex D of the PNG standard computes it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }
}
