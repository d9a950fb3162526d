import TextCoding

/// All methods of an interface: the one list from which calls are served and `rpc.discover` is answered.
public struct MethodTable<Identity: Caller>: Sendable {
    /// What is told when a handler fails by other than a ``Refusal``: the method and the error.
    public typealias FailureReport = @Sendable (_ method: String, _ error: any Error) -> Void

    /// What carries a call out, for a caller.
    public typealias Conduct =
        @Sendable (_ caller: Identity, _ call: @Sendable () async throws -> JSONText) async throws -> JSONText

    /// How long the calls of a batch may take together; those that are left then are answered by an error.
    ///
    /// It bounds, with the time of one call, how long a line keeps the server busy.
    public static var longestBatch: Duration { .seconds(30) }

    /// How many calls a batch may hold.
    ///
    /// It bounds what one line can set going; the interface names 100.
    public static var maximumBatch: Int { 100 }

    /// The interface's name, for the document.
    public let title: String
    /// The program's version, for the document.
    public let version: String
    /// The methods in the order in which they were added, `rpc.discover` first.
    public private(set) var methods: [Method<Identity>]
    /// What the server tells without being asked.
    public private(set) var notifications: [NotificationDeclaration] = []
    private var positions: [String: Int] = [:]
    private let conduct: Conduct
    private let now: @Sendable () -> ContinuousClock.Instant
    /// What is told of failures that no caller is told the reason of.
    public let report: FailureReport

    /// A table with `rpc.discover` alone.
    ///
    /// - Parameter conduct: carries each call out, which may mean to do so in the caller's name.
    public init(
        title: String, version: String, onFailure report: @escaping FailureReport = { _, _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        conduct: @escaping Conduct = { _, call in try await call() }
    ) {
        self.now = now
        self.conduct = conduct
        self.title = title
        self.version = version
        self.report = report
        methods = []
        add(Self.discovery)
    }

    /// Adds a method, whose name must be new: a second one is a mistake and ends the program.
    public mutating func add(_ method: Method<Identity>) {
        precondition(positions.updateValue(methods.count, forKey: method.name) == nil, "\(method.name) twice")
        methods.append(method)
    }

    /// Adds methods; see ``add(_:)``.
    public mutating func add(_ methods: [Method<Identity>]) {
        for method in methods { add(method) }
    }

    /// Adds notifications, for the document alone.
    public mutating func declare(_ notifications: [NotificationDeclaration]) {
        self.notifications += notifications
    }

    /// Carries one call out, and says what came of it.
    ///
    /// In this order: is there such a method, has the caller the right, do the parameters fit, what does the handler
    /// say.
    public func dispatch(_ request: Request, from caller: Identity) async -> Result<JSONText, RPCError> {
        guard let position = positions[request.method] else {
            return .failure(
                RPCError(.methodNotFound, "There is no method \(request.method); rpc.discover lists those there are."))
        }
        let method = methods[position]
        guard caller.has(method.right) else {
            return .failure(
                RPCError(
                    .notAllowed, "\(method.name) \(method.right.refusal)",
                    data: ["right": .string(method.right.rawValue)]))
        }
        do {
            try Task.checkCancellation()
            let parameters = try method.bind(request.parameters)
            guard method.name != Self.discovery.name else { return .success(openRPC) }
            return .success(try await conduct(caller) { try await method.handler(caller, parameters) })
        } catch let refusal as Refusal {
            return .failure(RPCError(refusal))
        } catch let error as RPCError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(.unavailable("\(method.name) was called off: its caller has gone."))
        } catch {
            report(method.name, error)
            return .failure(RPCError(.internalError, "\(method.name) failed; the server's log says why."))
        }
    }

    /// Answers one line: a request, a notification or a batch, or anything else with an error.
    ///
    /// The calls of a batch are carried out one after another, and answered in that order.
    /// - Returns: one line with its end, no longer than ``LineFraming/maximumLength``: of what does not fit,
    ///   an error is left. Nil where nothing is to be answered.
    public func answer(to line: [UInt8], from caller: Identity) async -> [UInt8]? {
        var json = JSONWriter()
        do {
            switch try JSONValue(parsing: line.span) {
            case .array(let calls):
                guard (1...Self.maximumBatch).contains(calls.count) else {
                    let reason = "A batch holds from 1 to \(Self.maximumBatch) calls, not \(calls.count)."
                    return RPCError(.invalidRequest, reason).line
                }
                json = await answer(calls, from: caller)
                guard !json.bytes.isEmpty else { return nil }
            case let call:
                guard let answer = await answer(call, from: caller) else { return nil }
                json.raw(Self.text(of: answer, within: LineFraming.maximumLength).bytes)
            }
        } catch {
            return RPCError(.parseError, "Not JSON: \(error).").line
        }
        return json.bytes + [LineFraming.end]
    }

    private typealias Answer = (id: RequestID, result: Result<JSONText, RPCError>)

    /// The answer to one call; nil where it was a notification.
    private func answer(_ call: JSONValue, from caller: Identity, isLate: Bool = false) async -> Answer? {
        do throws(RejectedRequest) {
            let request = try Request(call)
            let result = isLate ? .failure(Self.lateness) : await dispatch(request, from: caller)
            return request.id.map { ($0, result) }
        } catch {
            return (error.id, .failure(error.error))
        }
    }

    /// The answers to the calls of a batch as an array; nothing written where none is to be answered.
    private func answer(_ calls: [JSONValue], from caller: Identity) async -> JSONWriter {
        var json = JSONWriter()
        var room = LineFraming.maximumLength - 2 - calls.count * (Self.errorRoom + 1)
        var answers: [JSONText] = []
        let end = now() + Self.longestBatch
        for call in calls {
            room += Self.errorRoom
            guard let answer = await answer(call, from: caller, isLate: now() > end) else { continue }
            let text = Self.text(of: answer, within: room)
            room -= text.bytes.count
            answers.append(text)
            // Other callers come between the calls of a batch.
            await Task.yield()
        }
        guard !answers.isEmpty else { return json }
        json.array { json in
            for answer in answers { json.raw(answer.bytes) }
        }
        return json
    }

    private static var lateness: RPCError {
        .unavailable("The batch took longer than \(longestBatch), and this call was not made. Make smaller batches.")
    }

    /// What an error without data needs at most, in bytes.
    ///
    /// That is the id, six bytes for each of its own where all are escaped, and the words around it. A batch keeps
    /// as much free for each of its calls.
    private static var errorRoom: Int { 6 * RequestID.maximumLength + 256 }

    /// The answer as it goes out, cut down to an error where it takes more room than there is.
    private static func text(of answer: Answer, within room: Int) -> JSONText {
        let text = JSONText { $0.answer(answer.id, answer.result) }
        guard text.bytes.count > room else { return text }
        let error =
            switch answer.result {
            case .success: RPCError.unavailable("The answer is too long for one line; ask for less.")
            case .failure(let error): RPCError(error.code, error.code.summary)
            }
        return JSONText { $0.answer(answer.id, .failure(error)) }
    }
}
