#if Companion
import RPC
import TestSupport

/// Generates calls from the document alone: some correct, some at the edge of what is allowed, some wrong.
///
/// It remembers ids and cursors from answers, uses them again, and damages them.
struct CallGenerator {
    private var random: SeededGenerator
    private let methods: [DocumentedMethod]
    /// Values seen in answers, by the name of their member.
    private var seen: [String: [JSONValue]] = [:]
    private var names: [String] = []

    /// Stands for U+0000, which the writer of JSON replaces, but other clients may send; ``HostileWorld`` sends it.
    static let zero = "\u{F8FF}"
    /// The number of values that it remembers for one name.
    private static let kept = 48

    init(_ methods: [DocumentedMethod], seed: UInt64, knowing known: [String: [JSONValue]]) {
        self.methods = methods
        random = SeededGenerator(seed: seed)
        for name in known.keys.sorted() { for value in known[name] ?? [] { keep(value, as: name) } }
    }

    /// A call to come.
    struct Draft {
        let method: DocumentedMethod
        /// Whether the call is to be made in the situation that the method needs.
        let isInSituation: Bool
        /// From 0 to 9: how wrong the parameters are to be.
        fileprivate let wildness: Int
    }

    /// Returns the next call.
    mutating func next() -> Draft {
        guard let method = methods.randomElement(using: &random) else { preconditionFailure("no methods") }
        return Draft(
            method: method, isInSituation: chance(2), wildness: Int.random(in: 0..<10, using: &random))
    }

    /// Returns a call of a method whose parameters fit.
    func fitting(_ method: DocumentedMethod) -> Draft { Draft(method: method, isInSituation: true, wildness: 0) }

    /// Returns the parameters of a call, which are all allowed.
    mutating func call(of method: DocumentedMethod) -> JSONObject { parameters(of: fitting(method), given: nil) }

    /// Returns the parameters of a call.
    ///
    /// - Parameter given: Parameters that the method accepts, to be varied; `nil` if there are none.
    mutating func parameters(of draft: Draft, given: JSONObject?) -> JSONObject {
        let (method, wildness) = (draft.method, draft.wildness)
        let victim = method.parameters.indices.randomElement(using: &random)
        var parameters = JSONObject()
        let room = String(method.name.prefix { $0 != "." })
        for (index, parameter) in method.parameters.enumerated() {
            let isWrong = wildness == 9 ? chance(2) : wildness >= 6 && index == victim
            if let given, !isWrong {
                if let value = given[parameter.name] {
                    parameters[parameter.name] = value
                    continue
                }
                guard wildness > 2, chance(8) else { continue }
            } else {
                guard parameter.isRequired || chance(parameter.name == "after" ? 3 : 4) else { continue }
            }
            let name = parameter.name == "id" ? Self.singular(room) : parameter.name
            parameters[parameter.name] =
                isWrong && (given == nil || !chance(3))
                ? hostile(parameter.name) : value(of: parameter.schema, named: name)
        }
        if wildness == 9, chance(20) { parameters["unknown"] = 1 }
        return parameters
    }

    /// Remembers values of an answer that may be worth using again.
    ///
    /// The id of an object under a name such as `plan` is also remembered by that name. The ids of a list's elements
    /// are remembered by the singular of the list's name.
    mutating func learn(_ answer: JSONValue, under noun: String = "", depth: Int = 0) {
        guard depth < 8 else { return }
        switch answer {
        case .object(let members):
            if let id = members["id"], id.text != nil, !noun.isEmpty { keep(id, as: Self.singular(noun)) }
            for name in members.names {
                guard let value = members[name] else { continue }
                switch value {
                case .string(let text) where text.utf8.count <= 256: keep(value, as: name)
                case .integer: keep(value, as: name)
                default: learn(value, under: name, depth: depth + 1)
                }
            }
        case .array(let elements): for element in elements.prefix(16) { learn(element, under: noun, depth: depth + 1) }
        default: break
        }
    }

    private static func singular(_ noun: String) -> String {
        if noun == "people" { return "person" }
        if noun.hasSuffix("ies") { return noun.dropLast(3) + "y" }
        return noun.hasSuffix("s") ? String(noun.dropLast()) : noun
    }

    private mutating func keep(_ value: JSONValue, as name: String) {
        if seen[name] == nil { names.append(name) }
        var values = seen[name] ?? []
        if values.count < Self.kept {
            values.append(value)
        } else {
            values[Int.random(in: 0..<Self.kept, using: &random)] = value
        }
        seen[name] = values
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    /// Returns a value that was seen under a name (under `next` for a cursor), or sometimes under any name.
    private mutating func remembered(_ name: String) -> JSONValue? {
        let source = name == "after" ? "next" : chance(6) ? names.randomElement(using: &random) ?? name : name
        return seen[source]?.randomElement(using: &random)
    }

    /// Returns a value that fits a schema, often one that was seen and often one at the edge.
    private mutating func value(of schema: JSONValue, named name: String) -> JSONValue {
        if let choices = schema["enum"]?.elements { return choices.randomElement(using: &random) ?? .null }
        if !chance(4) {
            for _ in 0..<3 {
                if let old = remembered(name), DocumentedSchema.fault(in: old, of: schema) == nil { return old }
            }
        }
        if let alternatives = schema["anyOf"]?.elements, let one = alternatives.randomElement(using: &random) {
            return value(of: one, named: name)
        }
        switch schema["type"]?.text {
        case "boolean": return .bool(chance(2))
        case "integer":
            let (least, most) = (schema["minimum"]?.whole ?? .min, schema["maximum"]?.whole ?? .max)
            guard least <= most else { return 0 }
            let edges = [least, most, max(least, min(most, 0)), max(least, min(most, 1))]
            return .integer(chance(2) ? Int64.random(in: least...most, using: &random) : pick(edges))
        case "number":
            let least = max(schema["minimum"]?.real ?? -1e300, -1e300)
            let most = min(schema["maximum"]?.real ?? 1e300, 1e300)
            guard least <= most else { return 0 }
            let edges = [least, most, max(least, min(most, 0)), max(least, min(most, .leastNonzeroMagnitude))]
            let between = Double.random(in: 0...1, using: &random) * (most / 2 - least / 2) * 2 + least
            return .number(chance(2) ? between : pick(edges))
        case "string": return .string(text(schema, named: name))
        case "array":
            let least = Int(clamping: schema["minItems"]?.whole ?? 0)
            let most = min(Int(clamping: schema["maxItems"]?.whole ?? 4), least + 4)
            let count = Int.random(in: least...max(least, most), using: &random)
            return .array((0..<count).map { _ in value(of: schema["items"] ?? [:], named: name) })
        case "object":
            var members = JSONObject()
            let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
            if case .object(let properties)? = schema["properties"] {
                for member in properties.names where required.contains(member) || chance(2) {
                    members[member] = properties[member].map { value(of: $0, named: member) }
                }
            }
            return .object(members)
        default: return hostile(name)
        }
    }

    private mutating func text(_ schema: JSONValue, named name: String) -> String {
        let most = Int(clamping: schema["maxLength"]?.whole ?? 100_000)
        if schema["format"]?.text == "date-time", !chance(3) { return pick(Self.times) }
        if chance(3) { return String(pick(Self.texts).unicodeScalars.prefix(most)) }
        if chance(6) { return String(repeating: "x", count: min(most, 100_000)) }
        return String((remembered(name)?.text ?? pick(Self.texts)).unicodeScalars.prefix(most))
    }

    /// Returns a value that is likely to be wrong.
    private mutating func hostile(_ name: String) -> JSONValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .integer(pick([.min, .max, -1, 0, 1 << 53, .max - 1]))
        case 1: return .number(pick([1e308, -1e308, .leastNonzeroMagnitude, -0.0, 0.1, 9.3e18, -9.3e18]))
        case 2: return .string(pick(Self.texts))
        case 3: return .string(pick(Self.times))
        case 4: return .array([hostile(name)])
        case 5: return .object(["a": .null, "id": .string(pick(Self.texts))])
        default:
            guard let old = remembered(name) else { return .null }
            return old.text.map { .string(damaged($0)) } ?? old
        }
    }

    /// Returns a text in which bytes are changed, removed, doubled or inserted, such as very large numbers.
    private mutating func damaged(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<7, using: &random)
            case 1 where place < bytes.count: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: pick(["/", ".", ":", "-", Self.zero, "~1", "+1", "é"]).utf8, at: place)
            case 3: bytes.insert(contentsOf: pick(Self.numbers).utf8, at: place)
            default: bytes.append(contentsOf: bytes.prefix(place))
            }
        }
        return String(decoding: bytes.prefix(4096), as: UTF8.self)
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    private static let texts = [
        "", " ", "a", "ada", "bob", "mill", "sight/mill", "person/ada", "photo/1", "gps0", "1", "0", "-1", Self.zero,
        "a\(Self.zero)b", "\u{202E}evil", "\u{FEFF}", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}",
        "'; DROP TABLE sight; --",
        "%", "_", "\"", "*", "NEAR(", "a AND", "../../etc/passwd", "1/9223372036854775807/0/TRIP",
        "9223372036854775807.9223372036854775807", "-9223372036854775808.0", "1e999", "NaN", "<script>", "AAAA",
        "ada@example.org", String(repeating: "(", count: 300), String(repeating: "a ", count: 300),
    ]
    private static let numbers = ["9223372036854775807", "-1", "99999999999999999999"]
    private static let times = [
        "2026-05-01T10:00:00Z", "2026-05-01T10:00:10.000Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
        "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "2026-02-30T00:00:00Z",
        "2026-05-01T10:00:00+14:00", "2026-05-01", "1815-12-10", "2026-05-01T24:00:00Z",
    ]
}
#endif
