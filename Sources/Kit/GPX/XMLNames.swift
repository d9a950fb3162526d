import CXML2
import Geodesy
import Positioning
import TextCoding

/// The names that the reader uses, as addresses in a parser's dictionary.
///
/// libxml2 stores each name of a document once in that dictionary, so equal names have equal addresses. Do not use this
/// type after the parser has been freed.
@unsafe struct InternedNames {
    private let addresses: [UnsafePointer<xmlChar>?]
    /// A hash table of the names by address, with linear probing.
    ///
    /// It has several times as many slots as names, so that an unknown name is detected quickly.
    private let slots: [(address: UnsafePointer<xmlChar>, name: GPXName)?]

    private static var slotBits: UInt64 { 7 }
    private static var slotCount: Int { unsafe 1 << slotBits }

    /// Looks up the names in a parser's dictionary; without a dictionary, no name has a meaning.
    init(dictionary: xmlDictPtr?) {
        unsafe addresses = GPXName.allCases.map { name in
            guard let dictionary = unsafe dictionary else { return nil }
            let text = Array(name.text.utf8)
            // libxml2 reads `text.count` bytes and copies them.
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

    /// Returns the address of a name in the dictionary.
    func address(of name: GPXName) -> UnsafePointer<xmlChar>? { unsafe addresses[name.rawValue] }

    /// The meaning of a name that comes from the parser; `nil` if it has none.
    subscript(name: UnsafePointer<xmlChar>?) -> GPXName? {
        guard let name = unsafe name else { return nil }
        var slot = unsafe Self.slot(of: name)
        while let entry = unsafe slots[slot] {
            if unsafe entry.address == name { return unsafe entry.name }
            slot = unsafe (slot + 1) % Self.slotCount
        }
        return nil
    }

    /// Returns the first slot to probe for an address, by multiplicative hashing.
    private static func slot(of address: UnsafePointer<xmlChar>) -> Int {
        let hash = UInt64(UInt(bitPattern: address)) &* 0x9E37_79B9_7F4A_7C15
        return unsafe Int(truncatingIfNeeded: hash >> (64 - slotBits))
    }
}

/// The attributes of an element as libxml2 passes them.
///
/// Each attribute is five pointers: to its name, prefix, namespace and value, and to the end of the value. Do not use
/// this type after the call that passed it.
@unsafe struct XMLAttributes {
    private let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    private let count: Int
    /// The number of attributes and namespace declarations.
    let total: Int

    /// The number of attributes that are defaults of the document type and not written in the element.
    let defaulted: Int

    init(
        _ pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: CInt, defaulted: CInt, namespaces: CInt
    ) {
        unsafe self.pointers = pointers
        unsafe self.count = Int(count)
        unsafe self.defaulted = Int(defaulted)
        unsafe total = Int(count) + Int(namespaces)
    }

    /// Returns the position in two attributes without a namespace, in degrees, or `nil` if it is missing or invalid.
    ///
    /// - Parameters:
    ///   - latitude: the address of the latitude's name in the dictionary.
    ///   - longitude: the address of the longitude's name in the dictionary.
    func place(latitude: UnsafePointer<xmlChar>?, longitude: UnsafePointer<xmlChar>?) -> Coordinate? {
        guard let latitude = unsafe value(latitude), let longitude = unsafe value(longitude) else { return nil }
        return unsafe GPXPosition.read(latitude.span, longitude.span)
    }

    /// Returns the text of an attribute without a namespace, or `nil` if it is missing or blank.
    ///
    /// It is cut to ``GPXText/maximumLength`` bytes.
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
            // The array holds five pointers for each of `count` attributes.
            let attribute = unsafe pointers + 5 * index
            guard unsafe attribute[0] == name, unsafe attribute[1] == nil else { continue }
            guard let start = unsafe attribute[3], let end = unsafe attribute[4] else { return nil }
            return unsafe UnsafeBufferPointer(start: start, count: end - start)
        }
        return nil
    }
}
