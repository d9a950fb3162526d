import Foundation

extension Picture {
    /// Reads a HEIC file: a still picture encoded with HEVC in the image file format (ISO/IEC 23008-12) of ISO/IEC
    /// 14496-12.
    ///
    /// There is no copy, so other people get the picture drawn again. The data of the picture are spread over too many
    /// places to separate them reliably from the rest.
    package init(heic bytes: PictureBytes) throws(Flaw) {
        let boxes = try Self.boxes(bytes)
        guard let type = boxes.first, type.name == "ftyp", Self.isHEIC(type.content) else {
            throw Flaw("is of a kind that is not accepted; JPEG, PNG, WebP and HEIC are")
        }
        guard let meta = boxes.first(where: { $0.name == "meta" }),
            let content = meta.content.part(4..<max(4, meta.content.count))
        else { throw .damaged(.heic) }
        let parts = try Self.boxes(content)
        func part(_ name: String) -> PictureBytes? { parts.first { $0.name == name }?.content }
        guard let primary = part("pitm").flatMap(Self.primaryItem), let information = part("iinf"),
            let locations = part("iloc"), let properties = part("iprp"),
            let shape = try Self.shape(of: primary, properties)
        else { throw .damaged(.heic) }
        let data = parts.first { $0.name == "idat" }
        let base = meta.offset + 4 + (data?.offset ?? 0)
        var exif = Exif()
        if let item = try Self.item(of: "Exif", information) {
            let extents = try Self.extents(
                of: item, locations, file: bytes.count, data: (base, data?.content.count ?? 0))
            exif = Self.exif(extents, bytes)
        }
        // The file format has its own rotation property, which takes precedence over the Exif orientation.
        try self.init(
            .heic, width: shape.width, height: shape.height, exif: exif, isTurned: shape.isTurned, copy: nil)
    }

    /// The brands of still pictures encoded with HEVC.
    private static let heicBrands: Set<String> = ["heic", "heix", "heim", "heis"]
    /// The maximum number of boxes in a box, and of extents of all items.
    ///
    /// A picture of 100 megapixels has a few hundred.
    private static let maximumParts = 10_000

    private struct Box {
        let name: String
        /// The offset of the box's content within the bytes that contain the box.
        let offset: Int
        let content: PictureBytes
    }

    /// Returns the boxes that the bytes consist of, in their order.
    private static func boxes(_ bytes: PictureBytes) throws(Flaw) -> [Box] {
        var boxes: [Box] = []
        var offset = 0
        while offset < bytes.count {
            guard var size = bytes.number(at: offset, width: 4), let name = bytes.name(at: offset + 4) else {
                throw .damaged(.heic)
            }
            var header = 8
            if size == 1 {
                guard let long = bytes.number(at: offset + 8, width: 8) else { throw .damaged(.heic) }
                (size, header) = (long, 16)
            } else if size == 0 {
                size = bytes.count - offset
            }
            guard size >= header, size <= bytes.count - offset, boxes.count < maximumParts,
                let content = bytes.part(offset + header..<offset + size)
            else { throw .damaged(.heic) }
            boxes.append(Box(name: name, offset: offset + header, content: content))
            offset += size
        }
        return boxes
    }

    /// Whether a file type box names one of the brands, either as its major brand or, after the version, as a
    /// compatible one.
    private static func isHEIC(_ type: PictureBytes) -> Bool {
        stride(from: 0, to: min(type.count, 256), by: 4).contains { offset in
            offset != 4 && type.name(at: offset).map(heicBrands.contains) == true
        }
    }

    private static func primaryItem(_ box: PictureBytes) -> Int? { box.number(at: 4, width: box[0] == 0 ? 2 : 4) }

    /// Returns the first item of a type, or `nil` if there is none.
    private static func item(of type: String, _ box: PictureBytes) throws(Flaw) -> Int? {
        guard let list = box.part((box[0] == 0 ? 6 : 8)..<max(8, box.count)) else { throw .damaged(.heic) }
        for entry in try boxes(list) where entry.name == "infe" {
            let width = entry.content[0] == 3 ? 4 : 2
            guard let version = entry.content[0], version >= 2, let item = entry.content.number(at: 4, width: width),
                let found = entry.content.name(at: 4 + width + 2)
            else { throw .damaged(.heic) }
            if found == type { return item }
        }
        return nil
    }

    /// Returns the ranges of an item in the file.
    ///
    /// Parts that are outside of the file are left out.
    private static func extents(
        of wanted: Int, _ box: PictureBytes, file: Int, data: (offset: Int, count: Int)
    ) throws(Flaw) -> [Range<Int>] {
        guard let version = box[0], version <= 2, let first = box[4], let second = box[5] else { throw .damaged(.heic) }
        var offset = 6
        /// Returns the next number.
        ///
        /// A number of width 0 is 0.
        func next(_ width: Int) throws(Flaw) -> Int {
            guard width > 0 else { return 0 }
            guard let value = box.number(at: offset, width: width) else { throw .damaged(.heic) }
            offset += width
            return value
        }
        let widths = (
            offset: Int(first >> 4), length: Int(first & 15), base: Int(second >> 4),
            index: version == 0 ? 0 : Int(second & 15)
        )
        var left = maximumParts
        var extents: [Range<Int>] = []
        for _ in 0..<(try next(version == 2 ? 4 : 2)) {
            let item = try next(version == 2 ? 4 : 2)
            let method = version == 0 ? 0 : try next(2) & 15
            _ = try next(2)
            let base = try next(widths.base)
            for _ in 0..<(try next(2)) {
                left -= 1
                guard left >= 0 else { throw .damaged(.heic) }
                _ = try next(widths.index)
                let (place, isBeyond) = base.addingReportingOverflow(try next(widths.offset))
                let length = try next(widths.length)
                let origin = method == 1 ? data.offset : 0
                let end = method == 1 ? data.count : file
                guard item == wanted, method <= 1, !isBeyond, place <= end else { continue }
                // A length of 0 means everything up to the end.
                let count = length == 0 ? end - place : min(length, end - place)
                extents.append(origin + place..<origin + place + count)
            }
        }
        return extents
    }

    /// Returns the metadata of an Exif item.
    private static func exif(_ extents: [Range<Int>], _ file: PictureBytes) -> Exif {
        // Metadata of more than 1 MiB, which a JPEG file could not contain, are not from a camera.
        guard extents.reduce(0, { $0 + $1.count }) <= 1 << 20 else { return Exif() }
        let bytes = PictureBytes(Data(extents.flatMap { file.bytes($0) ?? [] }))
        guard let skipped = bytes.number(at: 0, width: 4), skipped <= bytes.count - 4,
            let tiff = bytes.part(4 + skipped..<bytes.count)
        else { return Exif() }
        return Exif(tiff)
    }

    /// Returns the size of the primary item, and whether it is rotated by a quarter turn.
    ///
    /// The result is `nil` if the file has no size.
    private static func shape(
        of item: Int, _ box: PictureBytes
    ) throws(Flaw) -> (width: Int, height: Int, isTurned: Bool)? {
        let parts = try boxes(box)
        guard let container = parts.first(where: { $0.name == "ipco" }) else { return nil }
        let properties = try boxes(container.content)
        var size: (width: Int, height: Int)?
        var isTurned = false
        for part in parts where part.name == "ipma" {
            for index in try associations(of: item, part.content) where index > 0 && index <= properties.count {
                let property = properties[index - 1]
                switch property.name {
                case "ispe":
                    guard let width = property.content.number(at: 4, width: 4),
                        let height = property.content.number(at: 8, width: 4)
                    else { return nil }
                    size = (width, height)
                case "irot": isTurned = (property.content[0] ?? 0) & 1 == 1
                default: break
                }
            }
        }
        return size.map { ($0.width, $0.height, isTurned) }
    }

    /// Returns the numbers of an item's properties, counted from 1.
    private static func associations(of item: Int, _ box: PictureBytes) throws(Flaw) -> [Int] {
        guard let version = box[0], let flags = box[3], let count = box.number(at: 4, width: 4) else {
            throw .damaged(.heic)
        }
        let (wide, width) = (version == 0 ? 2 : 4, flags & 1 == 1 ? 2 : 1)
        var found: [Int] = []
        var offset = 8
        for _ in 0..<count {
            guard let owner = box.number(at: offset, width: wide), let number = box[offset + wide] else {
                throw .damaged(.heic)
            }
            offset += wide + 1
            if owner == item {
                for step in 0..<Int(number) {
                    guard let value = box.number(at: offset + step * width, width: width) else {
                        throw .damaged(.heic)
                    }
                    // The highest bit marks essential properties.
                    found.append(value & (width == 2 ? 0x7FFF : 0x7F))
                }
            }
            offset += Int(number) * width
        }
        return found
    }
}
