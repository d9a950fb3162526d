import CXML2
import Positioning
import TextCoding

/// The names that mean something, as addresses in a parser's dictionary: libxml2 keeps each name of a document there
/// once, so that equal names are equal addresses.
///
/// Not for use after the parser was freed.
@unsafe struct InternedNames {
    private let addresses: [UnsafePointer<xmlChar>?]

    /// The names in a parser's dictionary; without a dictionary no name means anything.
    init(dictionary: xmlDictPtr?) {
        unsafe addresses = GPXName.allCases.map { name in
            guard let dictionary = unsafe dictionary else { return nil }
            let text = Array(name.text.utf8)
            // libxml2 reads so many bytes, and copies them.
            return unsafe xmlDictLookup(dictionary, text, CInt(text.count))
        }
    }

    /// Where the dictionary keeps a name.
    func address(of name: GPXName) -> UnsafePointer<xmlChar>? { unsafe addresses[name.rawValue] }

    /// What a name that comes from the parser means.
    subscript(name: UnsafePointer<xmlChar>?) -> GPXName? {
        unsafe addresses.firstIndex { unsafe $0 == name }.flatMap(GPXName.init(rawValue:))
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

    /// The number that an attribute without namespace says, by its name's address in the dictionary.
    func number(_ name: UnsafePointer<xmlChar>?) -> Double? {
        guard let value = unsafe value(name) else { return nil }
        return unsafe DecimalText.parse(value.span)
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
