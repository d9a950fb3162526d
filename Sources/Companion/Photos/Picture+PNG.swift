extension Picture {
    /// What every PNG file begins with.
    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// What a picture needs to be shown as it is meant; every other chunk goes.
    private static let pngChunks: Set<String> = [
        "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs", "acTL",
        "fcTL", "fdAT",
    ]

    /// Reads a PNG file (ISO/IEC 15948, clause 5).
    init(png bytes: PictureBytes) throws(Flaw) {
        var size: (width: Int, height: Int)?
        var exif: Exif?
        var shared = PictureEdit()
        var hasData = false
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
            if name == "IDAT" { hasData = true }
            if !Self.pngChunks.contains(name) {
                var instead: [UInt8] = []
                if name == "eXIf", exif == nil {
                    let found = Exif(data)
                    exif = found
                    if found.orientation != 1 { instead = Self.chunk("eXIf", Exif.turned(found.orientation)) }
                }
                shared.replace(offset..<end, with: instead)
            }
            offset = end
            if name == "IEND" {
                if offset < bytes.count { shared.replace(offset..<bytes.count) }
                guard let size, hasData else { break }
                try self.init(.png, width: size.width, height: size.height, exif: exif ?? Exif(), shared: shared)
                return
            }
        }
        throw .damaged(.png)
    }

    /// A chunk with its checksum.
    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + data
        return bigEndian(UInt32(data.count)) + checked + bigEndian(checksum(checked))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// The cyclic redundancy check of ISO 3309, as annex D of the standard computes it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : (sum >> 1) ^ 0xEDB8_8320 }
        }
        return ~sum
    }
}
