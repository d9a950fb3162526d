import CXML2
import Geodesy
import Positioning
import TextCoding

/// The names that mean something, as addresses in a parser's dictionary: libxml2 keeps each name of a document there
/// once, so that equal names are equal addresses.
///
/// Not for use after the parser was freed.
@unsafe struct InternedNames {
    private let addresses: [UnsafePointer<xmlChar>?]
    /// The names by their addresses: each in its slot, or in the next free one; several times as many slots as names,
    /// so that a name of no meaning is soon known for one.
    private let slots: [(address: UnsafePointer<xmlChar>, name: GPXName)?]

    private static var slotBits: UInt64 { 7 }
    private static var slotCount: Int { unsafe 1 << slotBits }

    /// The names in a parser's dictionary; without a dictionary no name means anything.
    init(dictionary: xmlDictPtr?) {
        unsafe addresses = GPXName.allCases.map { name in
            guard let dictionary = unsafe dictionary else { return nil }
            let text = Array(name.text.utf8)
            // libxml2 reads so many bytes, and copies them.
            return unsafe xmlDictLookup(dictionary, text, CInt(text.count))
        }
        var slots = unsafe [(address: UnsafePointer<xmlChar>, name: GPXName)?](repeating: nil, count: Self.slotCount)
        for name in GPXName.allCases {
            guard let address = unsafe addresses[name.rawValue] else { continue }
            var slot = unsafe Self.slot(of: address)
            while unsafe slots[slot] != nil { slot = unsafe (slot + 1) % Self.slotCount }
            unsafe slots[slot] = (address, name)
        }
        unsafe self.slots = slots
    }

    /// Where the dictionary keeps a name.
    func address(of name: GPXName) -> UnsafePointer<xmlChar>? { unsafe addresses[name.rawValue] }

    /// What a name that comes from the parser means.
    subscript(name: UnsafePointer<xmlChar>?) -> GPXName? {
        guard let name = unsafe name else { return nil }
        var slot = unsafe Self.slot(of: name)
        while let entry = unsafe slots[slot] {
            if unsafe entry.address == name { return unsafe entry.name }
            slot = unsafe (slot + 1) % Self.slotCount
        }
        return nil
    }

    /// The slot in which an address is looked for first, by multiplicative hashing.
    private static func slot(of address: UnsafePointer<xmlChar>) -> Int {
        let hash = UInt64(UInt(bitPattern: address)) &* 0x9E37_79B9_7F4A_7C15
        return unsafe Int(truncatingIfNeeded: hash >> (64 - slotBits))
    }
}

/// The attributes of an element, as libxml2 gives them: five pointers each, to name, prefix, namespace, value and
/// the value's end.
///
/// Not for use after the call that gave them.
@unsafe struct XMLAttributes {
    private let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    private let count: Int
    /// How many attributes and declarations of namespaces there are.
    let total: Int

    /// How many of the attributes do not stand in the element, but are the document type's default.
    let defaulted: Int

    init(
        _ pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: CInt, defaulted: CInt, namespaces: CInt
    ) {
        unsafe self.pointers = pointers
        unsafe self.count = Int(count)
        unsafe self.defaulted = Int(defaulted)
        unsafe total = Int(count) + Int(namespaces)
    }

    /// The place that two attributes without namespace say in degrees, by their names' addresses in the dictionary.
    func place(latitude: UnsafePointer<xmlChar>?, longitude: UnsafePointer<xmlChar>?) -> Coordinate? {
        guard let latitude = unsafe value(latitude), let longitude = unsafe value(longitude) else { return nil }
        // Nearly all are written so that they need not be rounded.
        if let latitudeE7 = unsafe DecimalText.parseE7(latitude.span),
            let longitudeE7 = unsafe DecimalText.parseE7(longitude.span)
        {
            guard let latitudeE7 = Int32(exactly: latitudeE7), let longitudeE7 = Int32(exactly: longitudeE7) else {
                return nil
            }
            return Coordinate(latitudeE7: latitudeE7, longitudeE7: longitudeE7)
        }
        guard let latitude = unsafe DecimalText.parse(latitude.span),
            let longitude = unsafe DecimalText.parse(longitude.span)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// The text of an attribute without namespace, cut to what ``GPXText`` keeps; nil where it is blank.
    func string(_ name: UnsafePointer<xmlChar>?) -> String? {
        guard let value = unsafe value(name) else { return nil }
        var text = GPXText()
        var ignored = Tally()
        unsafe text.append(value.span)
        return text.string(counting: &ignored)
    }

    private func value(_ name: UnsafePointer<xmlChar>?) -> UnsafeBufferPointer<xmlChar>? {
        guard let pointers = unsafe pointers else { return nil }
        for index in unsafe 0..<count {
            // The array holds five pointers for each of so many attributes.
            let attribute = unsafe pointers + 5 * index
            guard unsafe attribute[0] == name, unsafe attribute[1] == nil else { continue }
            guard let start = unsafe attribute[3], let end = unsafe attribute[4] else { return nil }
            return unsafe UnsafeBufferPointer(start: start, count: end - start)
        }
        return nil
    }
}
