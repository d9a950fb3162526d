extension Picture {
    /// Reads a WebP file (RFC 9649, section 2).
    package init(webp bytes: PictureBytes) throws(Flaw) {
        guard let declared = bytes.number(at: 4, width: 4, isLittleEndian: true), declared >= 12,
            declared <= bytes.count - 8
        else { throw .damaged(.webp) }
        let chunks = try Self.webpChunks(bytes, 12..<8 + declared)
        guard let size = chunks.lazy.compactMap(Self.webpSize).first else { throw .damaged(.webp) }
        let exif = chunks.first { $0.name == "EXIF" }.map { chunk in
            let data = chunk.data
            return Exif((data.has("Exif\0\0".utf8, at: 0) ? data.part(6..<data.count) : data) ?? data)
        }
        try self.init(
            .webp, width: size.width, height: size.height, exif: exif ?? Exif(),
            copy: Self.webpCopy(chunks, exif?.orientation ?? 1))
    }

    private struct WebPChunk {
        let name: String
        let data: PictureBytes
        /// The range of the whole chunk in the file, without a padding byte.
        let range: Range<Int>
    }

    /// Returns the chunks in a range of a file.
    private static func webpChunks(_ bytes: PictureBytes, _ range: Range<Int>) throws(Flaw) -> [WebPChunk] {
        var chunks: [WebPChunk] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let name = bytes.name(at: offset),
                let length = bytes.number(at: offset + 4, width: 4, isLittleEndian: true),
                length <= range.upperBound - offset - 8, let data = bytes.part(offset + 8..<offset + 8 + length)
            else { throw .damaged(.webp) }
            chunks.append(WebPChunk(name: name, data: data, range: offset..<offset + 8 + length))
            // A chunk of odd length is followed by a padding byte, which some writers omit after the last chunk.
            offset += 8 + length + length % 2
        }
        return chunks
    }

    /// Returns a copy of the chunks that are needed to decode a picture, or `nil` if its frames contain anything else.
    private static func webpCopy(_ chunks: [WebPChunk], _ orientation: Int) -> PictureCopy? {
        var body = PictureCopy()
        func add(_ name: String, _ data: [UInt8]) {
            body.add(Array(name.utf8) + littleEndian(data.count) + data + (data.count % 2 == 1 ? [0] : []))
        }
        let profile = chunks.first { $0.name == "ICCP" }.flatMap { ColorProfile.plain($0.data) }
        for (index, chunk) in chunks.enumerated() {
            switch chunk.name {
            case "VP8X":
                guard index == 0, chunk.data.count == 10, let flags = chunk.data[0], let size = chunk.data.bytes(4..<10)
                else { return nil }
                // Keeps the flags for alpha and animation, and sets those for a profile and for Exif as needed.
                let left = flags & 0x12 | (profile == nil ? 0 : 0x20) | (orientation == 1 ? 0 : 0x08)
                add("VP8X", [left, 0, 0, 0] + size)
                if let profile { add("ICCP", profile) }
            case "ANIM" where chunk.data.count != 6: return nil
            case "ANMF":
                guard chunk.data.count >= 16, let frame = try? webpChunks(chunk.data, 16..<chunk.data.count),
                    frame.allSatisfy({ ["ALPH", "VP8 ", "VP8L"].contains($0.name) })
                else { return nil }
                fallthrough
            case "VP8 ", "VP8L", "ALPH", "ANIM":
                body.add(chunk.range)
                if chunk.range.count % 2 == 1 { body.add([0]) }
            default: break
            }
        }
        if orientation != 1, chunks.first?.name == "VP8X" { add("EXIF", Exif.turned(orientation)) }
        var copy = PictureCopy()
        copy.add(Array("RIFF".utf8) + littleEndian(body.count + 4) + Array("WEBP".utf8))
        copy.add(body)
        return copy
    }

    /// Returns the size that a chunk contains, or `nil` if it contains none.
    private static func webpSize(_ chunk: WebPChunk) -> (width: Int, height: Int)? {
        let data = chunk.data
        func number(_ offset: Int, _ width: Int) -> Int? { data.number(at: offset, width: width, isLittleEndian: true) }
        switch chunk.name {
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
