/// A line of gpsd's that libgps can be trusted with.
///
/// libgps loops for ever over some lines: those in which `"class":` comes twice and an object cannot be read, as in a
/// list of more receivers than it holds. Of a line that is cut off it takes what there is of the last number, `-nan` is
/// 0 for it, and what is behind a zero byte does not exist. So this is one whole JSON object as far as brackets, quotes
/// and numbers tell, its class first and once. A list of receivers is taken apart.
struct GPSDLine {
    /// The classes that say something of receivers, fixes or gpsd itself.
    enum Class: String {
        case version = "VERSION"
        case devices = "DEVICES"
        case device = "DEVICE"
        case position = "TPV"
        case sky = "SKY"
        case error = "ERROR"
    }

    /// Why a line is none.
    enum Refusal: Error {
        /// It is of another class, which is nobody's fault.
        case otherClass
        /// It is no whole JSON object of gpsd's.
        case garbled
    }

    /// What it is.
    let kind: Class
    /// The text, without white space around it, and a zero byte.
    let text: [UInt8]
    /// The receivers of a list, each as a line of its own.
    let devices: [GPSDLine]

    private static let beginning = Array("{\"class\":\"".utf8)
    private static let classKey = Array("\"class\":".utf8)
    /// gpsd nests three deep; more is somebody's mischief.
    private static let greatestDepth = 8

    /// Checks a line, given without its newline.
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
        // libgps begins again where the name is followed by something else.
        guard line[nameEnd + 1] == UInt8(ascii: ",") || line[nameEnd + 1] == UInt8(ascii: "}") else { throw .garbled }

        var text = [UInt8]()
        text.reserveCapacity(line.count + 1)
        for index in 0..<line.count { text.append(line[index]) }
        guard let elements = Self.check(&text) else { throw .garbled }
        if kind == .devices {
            var devices: [GPSDLine] = []
            for element in elements {
                let device = try GPSDLine(text.span.extracting(element))
                // A list within a list would not be taken apart, and libgps loops over some.
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

    /// How often libgps would find the key of a class.
    private static func classCount(_ text: [UInt8]) -> Int {
        text.indices.count { matches(classKey, in: text.span, at: $0) }
    }

    /// Checks brackets, quotes and words, and gives the places of the objects in arrays of the outermost object; nil
    /// where something does not fit.
    ///
    /// The minus of a word such as `-nan` becomes a blank, so that libgps sees the word.
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
                // The codes of opening and closing brackets differ by two.
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

    /// The place of a string's closing quote; nil where there is none, or a control character comes before it.
    private static func endOfString(_ text: [UInt8], from start: Int) -> Int? {
        var index = start + 1
        while index < text.count, text[index] >= 0x20 {
            if text[index] == UInt8(ascii: "\"") { return index }
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// The place of a number's or word's last byte; nil where it is neither.
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
        // What else stands there is the caller's to judge, but it is not part of this.
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
