extension Picture {
    /// What a picture needs to be shown as it is meant; every other chunk goes.
    private static let webpChunks: Set<String> = ["VP8X", "VP8 ", "VP8L", "ALPH", "ANIM", "ANMF", "ICCP"]

    /// Reads a WebP file (RFC 9649, section 2).
    init(webp bytes: PictureBytes) throws(Flaw) {
        guard let declared = bytes.number(at: 4, width: 4, isLittleEndian: true), declared >= 12,
            declared <= bytes.count - 8
        else { throw .damaged(.webp) }
        let total = 8 + declared
        var size: (width: Int, height: Int)?
        var exif: Exif?
        var changes: [PictureEdit.Change] = []
        var flags: (offset: Int, value: UInt8)?
        var offset = 12
        while offset < total {
            guard let name = bytes.name(at: offset),
                let length = bytes.number(at: offset + 4, width: 4, isLittleEndian: true), length <= total - offset - 8,
                let data = bytes.part(offset + 8..<offset + 8 + length)
            else { throw .damaged(.webp) }
            // A chunk of odd length is filled up with a byte, which the last one of some writers lacks.
            let end = min(offset + 8 + length + length % 2, total)
            if size == nil { size = Self.webpSize(name, data) }
            if name == "VP8X", let value = data[0] { flags = flags ?? (offset + 8, value) }
            if !Self.webpChunks.contains(name) {
                var instead: [UInt8] = []
                if name == "EXIF", exif == nil {
                    let found = Exif((data.has("Exif\0\0".utf8, at: 0) ? data.part(6..<data.count) : data) ?? data)
                    exif = found
                    if found.orientation != 1 {
                        let own = Exif.turned(found.orientation)
                        instead = Array("EXIF".utf8) + Self.littleEndian(own.count) + own
                    }
                }
                changes.append(.init(range: offset..<end, bytes: instead))
            }
            offset = end
        }
        if total < bytes.count { changes.append(.init(range: total..<bytes.count, bytes: [])) }
        guard let size else { throw .damaged(.webp) }
        if let flags {
            // Bits 2 and 3 say that there are notes by XMP and Exif.
            let left = flags.value & ~0x0C | (exif.map { $0.orientation != 1 } == true ? 0x08 : 0)
            if left != flags.value { changes.append(.init(range: flags.offset..<flags.offset + 1, bytes: [left])) }
        }
        var shared = PictureEdit(changes)
        if !shared.isEmpty {
            let declared = Self.littleEndian(shared.size(of: bytes.count) - 8)
            shared = PictureEdit(changes + [.init(range: 4..<8, bytes: declared)])
        }
        try self.init(.webp, width: size.width, height: size.height, exif: exif ?? Exif(), shared: shared)
    }

    /// The size that a chunk says; nil where it says none.
    private static func webpSize(_ name: String, _ data: PictureBytes) -> (width: Int, height: Int)? {
        func number(_ offset: Int, _ width: Int) -> Int? { data.number(at: offset, width: width, isLittleEndian: true) }
        switch name {
        case "VP8X":
            guard let width = number(4, 3), let height = number(7, 3) else { return nil }
            return (width + 1, height + 1)
        case "VP8 ":
            guard data.has([0x9D, 0x01, 0x2A], at: 3), let width = number(6, 2), let height = number(8, 2) else {
                return nil
            }
            return (width & 0x3FFF, height & 0x3FFF)
        case "VP8L":
            guard data[0] == 0x2F, let bits = number(1, 4) else { return nil }
            return (bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        default: return nil
        }
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
