/// A line from gpsd that is safe to pass to libgps.
///
/// libgps loops for ever on some lines: those in which `"class":` occurs twice and an object cannot be read, as in a
/// list of more receivers than it can hold. It accepts a truncated line with whatever digits the last number has, reads
/// `-nan` as 0, and ignores everything after a zero byte. So a valid line is one complete JSON object, as far as
/// brackets, quotes and numbers show, whose class comes first and only once. A list of receivers is split into its
/// elements.
struct GPSDLine {
    /// The classes that concern receivers, fixes or gpsd itself.
    enum Class: String {
        case version = "VERSION"
        case devices = "DEVICES"
        case device = "DEVICE"
        case position = "TPV"
        case sky = "SKY"
        case error = "ERROR"
    }

    /// The reason why a line is not accepted.
    enum Refusal: Error {
        /// The line has another class, which is not an error.
        case otherClass
        /// The line is not a complete JSON object of gpsd.
        case garbled
    }

    /// The class of the line.
    let kind: Class
    /// The text without surrounding white space, followed by a zero byte.
    let text: [UInt8]
    /// The receivers in a list, each as a separate line.
    let devices: [GPSDLine]

    private static let beginning = Array("{\"class\":\"".utf8)
    private static let classKey = Array("\"class\":".utf8)
    /// The greatest depth of nesting.
    ///
    /// gpsd nests three deep; deeper nesting is malicious.
    private static let greatestDepth = 8

    /// Checks a line, which is given without its newline.
    init(_ line: Span<UInt8>) throws(Refusal) {
        var end = line.count
        while end > 0, line[end - 1] <= 0x20, line[end - 1] != 0 { end -= 1 }
        let line = line.extracting(0..<end)
        guard Self.matches(Self.beginning, in: line, at: 0) else { throw .garbled }
        let nameStart = Self.beginning.count
        var nameEnd = nameStart
        while nameEnd < line.count, line[nameEnd] != UInt8(ascii: "\"") { nameEnd += 1 }
        guard nameEnd + 1 < line.count else { throw .garbled }
        guard let kind = Class(line.extracting(nameStart..<nameEnd)) else { throw .otherClass }
        // libgps would start over if anything else followed the name.
        guard line[nameEnd + 1] == UInt8(ascii: ",") || line[nameEnd + 1] == UInt8(ascii: "}") else { throw .garbled }

        var text = [UInt8]()
        text.reserveCapacity(line.count + 1)
        for index in 0..<line.count { text.append(line[index]) }
        guard let elements = Self.check(&text) else { throw .garbled }
        if kind == .devices {
            var devices: [GPSDLine] = []
            for element in elements {
                let device = try GPSDLine(text.span.extracting(element))
                // A nested list would not be split, and libgps loops on some of those.
                guard device.kind == .device else { throw .garbled }
                devices.append(device)
            }
            self.devices = devices
        } else {
            guard Self.classCount(text) == 1 else { throw .garbled }
            devices = []
        }
        text.append(0)
        self.text = text
        self.kind = kind
    }

    private static func matches(_ bytes: [UInt8], in line: Span<UInt8>, at start: Int) -> Bool {
        start + bytes.count <= line.count && bytes.indices.allSatisfy { line[start + $0] == bytes[$0] }
    }

    /// Returns how many class keys libgps would find.
    private static func classCount(_ text: [UInt8]) -> Int {
        text.indices.count { matches(classKey, in: text.span, at: $0) }
    }

    /// Checks brackets, quotes and words.
    ///
    /// Returns the ranges of the objects in arrays of the outermost object, or `nil` if the text is malformed.
    ///
    /// The minus of a word such as `-nan` is replaced by a blank, so that libgps recognises the word.
    private static func check(_ text: inout [UInt8]) -> [Range<Int>]? {
        var open: [(bracket: UInt8, at: Int)] = []
        var elements: [Range<Int>] = []
        var index = 0
        while index < text.count {
            guard index == 0 || !open.isEmpty else { return nil }
            switch text[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                open.append((text[index], index))
                guard open.count <= greatestDepth else { return nil }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The codes of an opening and its closing bracket differ by two.
                guard let last = open.popLast(), text[index] == last.bracket + 2 else { return nil }
                if open.count == 2, open[1].bracket == UInt8(ascii: "["), last.bracket == UInt8(ascii: "{") {
                    elements.append(last.at..<index + 1)
                }
            case UInt8(ascii: "\""):
                guard let end = endOfString(text, from: index) else { return nil }
                index = end
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\t"):
                break
            default:
                guard let end = endOfWord(&text, from: index) else { return nil }
                index = end
            }
            index += 1
        }
        return open.isEmpty ? elements : nil
    }

    /// Returns the index of a string's closing quote, or `nil` if there is none or a control character comes before it.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int? {
        var index = start + 1
        while index < text.count, text[index] >= 0x20 {
            if text[index] == UInt8(ascii: "\"") { return index }
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// Returns the index of the last byte of a number or word, or `nil` if it is neither.
    private static func endOfWord(_ text: inout [UInt8], from start: Int) -> Int? {
        var start = start
        if text[start] == UInt8(ascii: "-"), start + 1 < text.count, isLetter(text[start + 1]) {
            text[start] = UInt8(ascii: " ")
            start += 1
        }
        let isWord = isLetter(text[start])
        var index = start
        var digits = 0
        while index < text.count, isWord ? isLetter(text[index]) : isOfNumber(text[index]) {
            if (0x30...0x39).contains(text[index]) { digits += 1 }
            index += 1
        }
        guard isWord || digits > 0 else { return nil }
        // The caller checks the next byte, but it must be one that ends a word.
        guard index < text.count, ",}] \t".utf8.contains(text[index]) else { return nil }
        return index - 1
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
    }
}

extension GPSDLine.Class {
    fileprivate init?(_ name: Span<UInt8>) {
        guard name.count <= "VERSION".utf8.count else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<name.count { bytes.append(name[index]) }
        self.init(rawValue: String(decoding: bytes, as: UTF8.self))
    }
}
