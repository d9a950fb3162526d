import Foundation
import TestSupport
import Testing
import TextCoding

/// JSON whose bytes depend on the value alone, held against Foundation's.
struct SortedJSONTests {
    private static func oracle(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    @Test func randomValuesAreThoseOfFoundation() throws {
        var random = SeededGenerator(seed: TestTier.seed)
        for _ in 0..<2_000 {
            let value = Tree.random(depth: 4, using: &random)
            let text = try SortedJSON.text(of: value)
            #expect(text == (try Self.oracle(value)))
        }
    }

    @Test func everyKindOfNumberIsThatOfFoundation() throws {
        struct Numbers: Encodable, Equatable {
            var a = Int8.min, b = UInt8.max, c = Int16.min, d = UInt16.max, e = Int32.min, f = UInt32.max
            var g = Int64.min, h = UInt64.max, i = Int.max, j = UInt.max, k: Float = 4.2, l: Float = -0
            var m: [Double] = [
                0, -0.0, 1, -1, 0.1, 1e15, 1e16, 1e21, -1e22, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
                65.84000000000002,
                .leastNormalMagnitude, 123456789.125,
            ]
            var n: Int? = nil, o: Int? = 3, p: Double?? = .some(nil), q = true, r = [Int?.none, 1]
        }
        #expect(try SortedJSON.text(of: Numbers()) == Self.oracle(Numbers()))
        #expect(try SortedJSON.text(of: 3) == "3")
        #expect(
            try SortedJSON.text(of: "a\"b\\c/d\u{1}\u{8}\u{9}\u{A}\u{C}\u{D}\u{1F}\u{7F}é")
                == "\"a\\\"b\\\\c/d\\u0001\\b\\t\\n\\f\\r\\u001f\u{7F}é\"")
        for number in [Double.nan, .infinity, -.infinity] {
            #expect(throws: EncodingError.self) { try SortedJSON.text(of: ["a": number]) }
            #expect(throws: EncodingError.self) { try SortedJSON.text(of: [Float(number)]) }
        }
    }

    @Test func nestedContainersAndEmptyValuesAreThoseOfFoundation() throws {
        struct Empty: Encodable {
            func encode(to encoder: any Encoder) {}
        }
        struct Nested: Encodable {
            enum Key: String, CodingKey { case z, b, a, list, empty, last }
            func encode(to encoder: any Encoder) throws {
                var object = encoder.container(keyedBy: Key.self)
                var inner = object.nestedContainer(keyedBy: Key.self, forKey: .z)
                try inner.encode(1, forKey: .b)
                try inner.encodeNil(forKey: .a)
                var list = object.nestedUnkeyedContainer(forKey: .list)
                try list.encode("x")
                var rows = list.nestedUnkeyedContainer()
                try rows.encode(2)
                try rows.encodeNil()
                var member = list.nestedContainer(keyedBy: Key.self)
                try member.encode([String: Int](), forKey: .last)
                #expect(list.count == 3 && rows.count == 2)
                try object.encode([Int](), forKey: .empty)
                try Dictionary(uniqueKeysWithValues: [("y", 1), ("x", 2)]).encode(
                    to: object.superEncoder(forKey: .last))
                try [3].encode(to: object.superEncoder())
            }
        }
        #expect(try SortedJSON.text(of: Nested()) == Self.oracle(Nested()))
        #expect(try SortedJSON.text(of: [Empty()]) == "[{}]")
        #expect(try SortedJSON.text(of: Empty()) == "{}")
    }

    @Test func aContainerThatIsClosedIsRefused() {
        struct Late: Encodable {
            enum Key: String, CodingKey { case a, b, c }
            let nests: Bool
            func encode(to encoder: any Encoder) throws {
                var object = encoder.container(keyedBy: Key.self)
                var first = object.nestedUnkeyedContainer(forKey: .a)
                // The second one is as deep as the first.
                var second = object.nestedUnkeyedContainer(forKey: .b)
                try second.encode(1)
                if nests { _ = first.nestedUnkeyedContainer() } else { try first.encode(2) }
            }
        }
        #expect(throws: EncodingError.self) { try SortedJSON.text(of: Late(nests: false)) }
        #expect(throws: EncodingError.self) { try SortedJSON.text(of: Late(nests: true)) }
    }
}

/// A value of any shape.
private indirect enum Tree: Encodable {
    case null
    case number(Double)
    case integer(Int64)
    case text(String)
    case truth(Bool)
    case list([Tree])
    case object([String: Tree])

    func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .null: try value.encodeNil()
        case .number(let number): try value.encode(number)
        case .integer(let number): try value.encode(number)
        case .text(let text): try value.encode(text)
        case .truth(let isTrue): try value.encode(isTrue)
        case .list(let all): try value.encode(all)
        case .object(let all): try value.encode(all)
        }
    }

    static func random(depth: Int, using random: inout SeededGenerator) -> Tree {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
        case 0: .null
        case 1:
            .number(
                Double.random(in: -1...1, using: &random) * pow(10, Double(Int.random(in: -30...30, using: &random))))
        case 2: .integer(Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random))
        case 3: .text(text(using: &random))
        case 4: .truth(Bool.random(using: &random))
        case 5, 6:
            .list(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    Tree.random(depth: depth - 1, using: &random)
                })
        default:
            .object(
                Dictionary(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in
                        (key(using: &random), Tree.random(depth: depth - 1, using: &random))
                    }, uniquingKeysWith: { $1 }))
        }
    }

    private static func key(using random: inout SeededGenerator) -> String {
        String(
            (0..<Int.random(in: 1...20, using: &random)).map { _ in "abcdxyzABZ019".randomElement(using: &random) ?? "a"
            })
    }

    private static func text(using random: inout SeededGenerator) -> String {
        String(
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                "ab\"\\/\u{0}\u{1F}\n\té日🚐\u{7F}\u{80}".randomElement(using: &random) ?? "a"
            })
    }
}
