extension Picture {
    /// Reads a JPEG file (ITU-T T.81, annex B).
    ///
    /// Of its application segments only those stay that say how its colours are meant; what follows the picture, such
    /// as a film or a second picture, goes.
    init(jpeg bytes: PictureBytes) throws(Flaw) {
        var size: (width: Int, height: Int)?
        var exif: Exif?
        var hasScan = false
        var shared = PictureEdit()
        var offset = 2
        while true {
            guard let marker = Self.marker(bytes, at: offset) else {
                // Without its end mark a picture can be shown all the same.
                guard hasScan else { throw .damaged(.jpeg) }
                // Whatever follows is not of the picture.
                if offset < bytes.count { shared.replace(offset..<bytes.count) }
                break
            }
            offset = marker.end
            switch marker.code {
            case 0x01, 0xD0...0xD8: continue
            case 0xD9:
                if offset < bytes.count { shared.replace(offset..<bytes.count) }
                offset = bytes.count
                continue
            default: break
            }
            guard let length = bytes.number(at: offset, width: 2), length >= 2,
                let segment = bytes.part(offset + 2..<offset + length)
            else {
                guard hasScan else { throw .damaged(.jpeg) }
                shared.replace(marker.begin..<bytes.count)
                break
            }
            let end = offset + length
            switch marker.code {
            case 0xC4, 0xC8, 0xCC: break
            case 0xC0...0xCF:
                guard let height = segment.number(at: 1, width: 2), let width = segment.number(at: 3, width: 2) else {
                    throw .damaged(.jpeg)
                }
                size = size ?? (width, height)
            case 0xDA: hasScan = true
            case 0xE0...0xEF, 0xFE:
                guard !Self.isOfColour(segment, marker.code) else { break }
                var instead: [UInt8] = []
                if exif == nil, marker.code == 0xE1, segment.has("Exif\0\0".utf8, at: 0),
                    let tiff = segment.part(6..<segment.count)
                {
                    let found = Exif(tiff)
                    exif = found
                    if found.orientation != 1 {
                        let own = Array("Exif\0\0".utf8) + Exif.turned(found.orientation)
                        instead = [0xFF, 0xE1, 0, UInt8(own.count + 2)] + own
                    }
                }
                shared.replace(marker.begin..<end, with: instead)
            default: break
            }
            offset = marker.code == 0xDA ? Self.endOfScan(bytes, from: end) : end
        }
        guard let size, hasScan else { throw .damaged(.jpeg) }
        try self.init(.jpeg, width: size.width, height: size.height, exif: exif ?? Exif(), shared: shared)
    }

    /// The marker at an offset, behind bytes that fill up.
    private static func marker(_ bytes: PictureBytes, at offset: Int) -> (begin: Int, end: Int, code: UInt8)? {
        guard bytes[offset] == 0xFF else { return nil }
        var next = offset + 1
        while bytes[next] == 0xFF { next += 1 }
        return bytes[next].map { (offset, next + 1, $0) }
    }

    /// Where the coded picture that begins at an offset ends: at a marker other than those within it.
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

    /// Whether an application segment says how colours are meant.
    private static func isOfColour(_ segment: PictureBytes, _ code: UInt8) -> Bool {
        switch code {
        case 0xE0: segment.has("JFIF\0".utf8, at: 0)
        case 0xE2: segment.has("ICC_PROFILE\0".utf8, at: 0)
        case 0xEE: segment.has("Adobe".utf8, at: 0)
        default: false
        }
    }
}
