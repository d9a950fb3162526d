import RPC
import Synchronization
import Testing
import TextCoding

struct Visitor: Caller {
    var rights: Set<AccessRight> = [.read]
    func has(_ right: AccessRight) -> Bool { rights.contains(right) }
}

struct Mishap: Error {}

enum Unit: String, CaseIterable {
    case m, s
}

struct Sum {
    var sum: Double
    var unit: Unit?
}

/// Returns a small interface with one method of each kind.
func sampleTable(onFailure report: @escaping MethodTable<Visitor>.FailureReport = { _, _ in }) -> MethodTable<Visitor> {
    // The clock stands still, because batches have a deadline.
    let now = ContinuousClock.now
    var table = MethodTable<Visitor>(title: "Sample", version: "1.2.3", onFailure: report, now: { now })
    table.add([
        Method(
            "sums.add", "Adds two numbers.",
            Parameter<Int>.required("left", .integer(in: -100...100), "The first."),
            Parameter<Double>.required("right", .number(in: 0...(.infinity)), "The second."),
            Parameter<Unit?>.optional("unit", "What they are."),
            .optional("tags", .array(of: .string(length: 1...4), count: 0...2), default: [String](), "Marks."),
            Parameter<JSONObject?>.optional(
                "place",
                .object([
                    .required("lat", .number(in: -90...90), "Degrees."), .optional("name", .string, "A name."),
                ]),
                "Where."),
            answers: AnswerShape<Sum>.object {
                Member("sum", .number(decimals: 3), "The sum.") { $0.sum }
                Member.optional("unit", .choice, "What it is.") { $0.unit }
            }, errors: [.conflict], right: .read
        ) { _, left, right, unit, _, _ in Sum(sum: Double(left) + right, unit: unit) },
        Method("things.remove", "Removes all.", answers: .value(), right: .change) { _ in true },
        Method("things.break", "Fails.", answers: .value(), right: .read) { _ -> JSONValue in throw Mishap() },
        Method("things.find", "Finds nothing.", answers: .value(), errors: [.notFound], right: .read) {
            _ -> JSONValue in
            throw Refusal.notFound("Nothing is called x.")
        },
        Method(
            "text.repeat", "Repeats a letter.",
            Parameter<Int>.required("count", .integer(in: 0...(1 << 21)), "How often."), answers: .text, right: .read
        ) { _, count in String(repeating: "a", count: count) },
    ])
    table.declare([
        NotificationDeclaration("tick", "Told now and then.", parameters: [.required("count", .integer, "How many.")])
    ])
    return table
}

@Suite struct MethodTableTests {
    private func answer(_ line: String, from visitor: Visitor = Visitor()) async -> String? {
        await sampleTable().answer(to: Array(line.utf8), from: visitor).map { String(decoding: $0, as: UTF8.self) }
    }

    private func call(_ method: String, _ parameters: String) async throws -> JSONValue {
        let line = #"{"jsonrpc":"2.0","id":7,"method":"\#(method)","params":\#(parameters)}"#
        return try JSONValue(parsing: Array((await answer(line) ?? "").utf8).span)
    }

    @Test(arguments: [
        (
            #"{"jsonrpc":"2.0","id":1,"method":"sums.add","params":{"left":1,"right":2.5}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{"sum":3.5}}"#
        ),
        (
            #"{"id":"x","method":"sums.add","params":[-3.0,2,"m",null],"jsonrpc":"2.0","more":1}"#,
            #"{"jsonrpc":"2.0","id":"x","result":{"sum":-1,"unit":"m"}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":null,"method":"things.find"}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"Nothing is called x."}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1.5,"method":"things.break","params":{}}"#,
            #"{"jsonrpc":"2.0","id":1.5,"error":{"code":-32603,"message":"things.break failed; the server's log says why."}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"things.remove"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"things.remove needs the right to change.","data":{"right":"change"}}}"#
        ),
        (
            #"{"jsonrpc":"2.0","id":1,"method":"things.make"}"#,
            #"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"There is no method things.make. Call rpc.discover to list the methods."}}"#
        ),
        (
            "garbage",
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Not JSON: invalid value, at byte 1."}}"#
        ),
        (
            "[1]",
            #"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Not a JSON-RPC 2.0 request: it must be an object, not a number."}}]"#
        ),
        (
            "[]",
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"A batch must have 1 to 100 calls, not 0."}}"#
        ),
        (
            #"[{"jsonrpc":"2.0","id":1,"method":"sums.add","params":[1,1]},{"jsonrpc":"2.0","method":"sums.add","params":[1,1]},{"jsonrpc":"2.0","id":2,"method":"things.find"}]"#,
            #"[{"jsonrpc":"2.0","id":1,"result":{"sum":2}},{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"Nothing is called x."}}]"#
        ),
    ])
    func eachRequestLineGetsItsAnswer(line: String, expected: String) async {
        #expect(await answer(line) == expected + "\n")
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","method":"sums.add","params":[1,1]}"#, #"{"jsonrpc":"2.0","method":"no.such"}"#,
        #"[{"jsonrpc":"2.0","method":"things.break"},{"jsonrpc":"2.0","method":"sums.add"}]"#,
    ])
    func aNotificationGetsNoAnswer(line: String) async {
        #expect(await answer(line) == nil)
    }

    @Test(arguments: [
        ("1", JSONValue.null), (#"{"id":1,"method":"a"}"#, 1), (#"{"jsonrpc":"1.0","id":2,"method":"a"}"#, 2),
        (#"{"jsonrpc":"2.0","id":3}"#, 3), (#"{"jsonrpc":"2.0","id":4,"method":5}"#, 4),
        (#"{"jsonrpc":"2.0","id":"5","method":"a","params":1}"#, "5"),
        (#"{"jsonrpc":"2.0","id":5,"method":"a","params":null}"#, 5),
        (#"{"jsonrpc":"2.0","id":[6],"method":"a"}"#, .null), (#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, .null),
        (#"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: 129))","method":"a"}"#, .null),
        (#"{"jsonrpc":"2.0","id":8,"result":1}"#, 8),
        (#"{"jsonrpc":"2.0","id":9,"method":"sums.add","params":[1,1],"once":"short"}"#, 9),
        (#"{"jsonrpc":"2.0","id":9,"method":"sums.add","params":[1,1],"once":"sixteen letters!"}"#, 9),
        (#"{"jsonrpc":"2.0","id":9,"method":"sums.add","params":[1,1],"once":7}"#, 9),
    ])
    func anInvalidRequestIsRefusedWithItsIdIfItHasOne(line: String, id: JSONValue) async throws {
        let answer = try JSONValue(parsing: Array((await answer(line) ?? "").utf8).span)
        #expect(answer["error"]?["code"] == -32600)
        #expect(answer["id"] == id)
    }

    @Test(arguments: [
        ("{}", 4, "left", "is missing"), (#"{"left":null,"right":1}"#, 4, "left", "is missing"),
        (#"{"left":1}"#, 4, "right", "is missing"),
        (#"{"left":"1","right":1}"#, 4, "left", "must be a whole number, not a string"),
        (#"{"left":1.5,"right":1}"#, 4, "left", "must be a whole number"),
        (#"{"left":101,"right":1}"#, 4, "left", "must be from -100 to 100"),
        (#"{"left":1,"right":-1}"#, 4, "right", "must be at least 0"),
        (#"{"left":1,"right":true}"#, 4, "right", "must be a number, not a boolean"),
        (#"{"left":1,"right":1,"unit":"kg"}"#, 4, "unit", "must be one of m, s"),
        (#"{"left":1,"right":1,"unit":1}"#, 4, "unit", "must be one of m, s"),
        (#"{"left":1,"right":1,"tags":"a"}"#, 4, "tags", "must be an array, not a string"),
        (#"{"left":1,"right":1,"tags":["a",2]}"#, 4, "tags", "element 2 must be a string, not a number"),
        (#"{"left":1,"right":1,"tags":[""]}"#, 4, "tags", "element 1 must not be empty"),
        (#"{"left":1,"right":1,"tags":["abcde"]}"#, 4, "tags", "element 1 must have at most 4 characters"),
        (#"{"left":1,"right":1,"tags":["a","b","c"]}"#, 4, "tags", "must have at most 2 elements, not 3"),
        (#"{"left":1,"right":1,"place":[]}"#, 4, "place", "must be an object, not an array"),
        (#"{"left":1,"right":1,"place":{}}"#, 4, "place.lat", "is missing"),
        (#"{"left":1,"right":1,"place":{"lat":91}}"#, 4, "place.lat", "must be from -90 to 90"),
        (#"{"left":1,"right":1,"place":{"lat":1,"lon":1}}"#, 4, "place.lon", "is unknown; the members are lat, name"),
        (
            #"{"left":1,"right":1,"colour":1}"#, -32602, "colour",
            "sums.add has no parameter colour, only left, right, unit, tags, place."
        ),
    ])
    func anInvalidParameterIsNamed(parameters: String, code: Int64, field: String, reason: String) async throws {
        let error = try await call("sums.add", parameters)["error"]
        #expect(error?["code"] == .integer(code))
        #expect(error?["data"] == ["field": .string(field), "reason": .string(reason)])
    }

    @Test(
        arguments: [
            (2...3, 1, "must have at least 2 elements, not 1"), (2...3, 4, "must have at most 3 elements, not 4"),
            (2...2, 1, "must have 2 elements, not 1"), (2...2, 3, "must have 2 elements, not 3"),
            (1...(.max), 0, "must have at least 1 elements, not 0"), (2...3, 2, nil), (2...3, 3, nil),
        ] as [(ClosedRange<Int>, Int, String?)])
    func aWrongNumberOfElementsIsNamedWithItsBound(_ count: ClosedRange<Int>, _ given: Int, _ reason: String?) {
        let value = JSONValue.array(Array(repeating: .bool(true), count: given))
        #expect(Schema.array(of: .boolean, count: count).fault(in: value)?.reason == reason)
    }

    @Test func aWrongMemberOfAnElementIsNamed() {
        let schema = Schema.array(of: .object([.optional("lat", .boolean, "")]), count: 0...2)
        let unknown = schema.fault(in: [["lat": true], ["lon": 1]])
        #expect(unknown?.path == ["lon"])
        #expect(unknown?.reason == "is unknown; the members are lat (in element 2)")
        let wrong = schema.fault(in: [["lat": 1]])
        #expect(wrong?.reason == "must be true or false, not a number (in element 1)")
    }

    @Test func tooManyPositionalParametersAreRefused() async throws {
        #expect(try await call("sums.add", "[1,2,null,null,null,1]")["error"]?["code"] == -32602)
        #expect(try await call("things.find", "[1]")["error"]?["code"] == -32602)
    }

    @Test func aCallerWithTheRightToChangeMayCallChangingMethods() async {
        let admin = Visitor(rights: [.read, .change])
        let line = #"{"jsonrpc":"2.0","id":1,"method":"things.remove"}"#
        #expect(await answer(line, from: admin) == #"{"jsonrpc":"2.0","id":1,"result":true}"# + "\n")
    }

    @Test func callsOfABatchAfterItsDeadlineAreNotMade() async throws {
        let start = ContinuousClock.now
        let looks = Atomic(0)
        let made = Atomic(0)
        var table = MethodTable<Visitor>(
            title: "Sample", version: "1", now: { start + .seconds(looks.add(1, ordering: .relaxed).newValue) })
        table.add(
            Method("calls.count", "Counts.", answers: .boolean, right: .read) { _ in
                made.add(1, ordering: .relaxed)
                return true
            })
        let calls = (0..<100).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"calls.count"}"# }
        let line = await table.answer(to: Array("[\(calls.joined(separator: ","))]".utf8), from: Visitor())
        guard case .array(let answers)? = try line.map({ try JSONValue(parsing: $0.span) }) else {
            Issue.record("no array")
            return
        }
        // The clock moves on by one second for each call.
        #expect(made.load(ordering: .relaxed) == 30)
        #expect(
            answers.map { $0["error"]?["code"] } == Array(repeating: nil, count: 30) + Array(repeating: 5, count: 70))
        #expect(answers.compactMap { $0["id"] } == (0..<100).map { .integer($0) })
    }

    @Test func aBatchMayHaveAtMostAHundredCalls() async throws {
        func batch(_ count: Int) -> String {
            let calls = (1...count).map {
                #"{"jsonrpc":"2.0","id":\#($0),"method":"sums.add","params":[\#($0 % 9),1]}"#
            }
            return "[" + calls.joined(separator: ",") + "]"
        }
        guard case .array(let answers) = try JSONValue(parsing: Array((await answer(batch(100)) ?? "").utf8).span)
        else {
            Issue.record("no array")
            return
        }
        #expect(answers.compactMap { $0["id"] } == (1...100).map { .integer($0) })
        #expect(answers.allSatisfy { $0["result"] != nil })
        let refused = try JSONValue(parsing: Array((await answer(batch(101)) ?? "").utf8).span)
        #expect(refused["error"]?["code"] == -32600)
        #expect(refused["id"] == .null)
    }

    @Test func anAnswerIsNeverLongerThanTheLongestLine() async throws {
        let limit = LineFraming.maximumLength
        #expect(try await call("text.repeat", "[1000000]")["result"] != nil)
        #expect(try await call("text.repeat", "[\(limit)]")["error"]?["code"] == 5)
        let long = #"{"jsonrpc":"2.0","id":1,"method":"\#(String(repeating: "\u{1}", count: 300_000))"}"#
            .replacing("\u{1}", with: "\\u0001")
        #expect(try await call(String(repeating: "é", count: 500_000), "{}")["error"]?["code"] == -32601)
        #expect((await answer(long) ?? "").utf8.count <= limit)
        let calls = (1...12).map {
            #"{"jsonrpc":"2.0","id":"\#(String(repeating: "\\u0001", count: 120))\#($0)","method":"text.repeat","params":[300000]}"#
        }
        let batch = await answer("[" + calls.joined(separator: ",") + "]") ?? ""
        #expect(batch.utf8.count <= limit)
        guard case .array(let answers) = try JSONValue(parsing: Array(batch.utf8).span) else {
            Issue.record("no array")
            return
        }
        #expect(answers.count == 12)
        #expect(answers.filter { $0["result"] != nil }.count == 3)
        #expect(answers.filter { $0["error"]?["code"] == 5 }.count == 9)
    }

    @Test func anInternalFailureIsReportedToTheServer() async {
        await confirmation { reported in
            let table = sampleTable { method, error in
                if method == "things.break", error is Mishap { reported() }
            }
            _ = await table.dispatch(Request(id: .integer(1), method: "things.break"), from: Visitor())
            _ = await table.dispatch(Request(id: .integer(1), method: "things.find"), from: Visitor())
        }
    }
}
