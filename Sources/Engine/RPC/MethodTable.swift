import TextCoding

/// The methods of an interface, which serve calls and answer `rpc.discover`.
public struct MethodTable<Identity: Caller>: Sendable {
    /// Reports that a handler of `method` failed with an error other than a ``Refusal``.
    public typealias FailureReport = @Sendable (_ method: String, _ error: any Error) -> Void

    /// Runs a call on behalf of its caller.
    public typealias CallInterceptor = @Sendable (_ call: PendingCall<Identity>) async throws -> JSONText

    /// The time limit for the calls of a batch together.
    ///
    /// Calls that remain after it are answered with an error.
    ///
    /// Together with the duration of one call, it limits how long a line keeps the server busy.
    public static var longestBatch: Duration { .seconds(30) }

    /// The maximum number of calls in a batch.
    ///
    /// It limits the work that one line can start. The interface specifies 100.
    public static var maximumBatch: Int { 100 }

    /// The name of the interface, for the OpenRPC document.
    public let title: String
    /// The version of the program, for the OpenRPC document.
    public let version: String
    /// The methods in the order in which they were added, beginning with `rpc.discover`.
    public private(set) var methods: [Method<Identity>]
    /// The notifications that the server sends, for the OpenRPC document.
    public private(set) var notifications: [NotificationDeclaration] = []
    private var positions: [String: Int] = [:]
    private let interceptor: CallInterceptor
    private let now: @Sendable () -> ContinuousClock.Instant
    /// Reports failures whose reason callers do not receive.
    public let report: FailureReport

    /// Creates a table with `rpc.discover` only.
    ///
    /// - Parameters:
    ///   - title: The name of the interface.
    ///   - version: The version of the program.
    ///   - report: Reports failures whose reason callers do not receive.
    ///   - now: Returns the current time, for the time limit of batches.
    ///   - interceptor: Runs each call, for example on behalf of the caller.
    public init(
        title: String, version: String, onFailure report: @escaping FailureReport = { _, _ in },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        interceptor: @escaping CallInterceptor = { try await $0.run() }
    ) {
        self.now = now
        self.interceptor = interceptor
        self.title = title
        self.version = version
        self.report = report
        methods = []
        add(Self.discovery)
    }

    /// Adds a method.
    ///
    /// Its name must be new; adding a name twice stops the program.
    public mutating func add(_ method: Method<Identity>) {
        precondition(positions.updateValue(methods.count, forKey: method.name) == nil, "\(method.name) twice")
        methods.append(method)
    }

    /// Adds methods; see ``add(_:)``.
    public mutating func add(_ methods: [Method<Identity>]) {
        for method in methods { add(method) }
    }

    /// Adds notifications to the OpenRPC document.
    public mutating func declare(_ notifications: [NotificationDeclaration]) {
        self.notifications += notifications
    }

    /// Runs one call, and returns its result.
    ///
    /// It checks in this order whether the method exists, the caller has the right, and the parameters fit. Then it
    /// runs the handler.
    public func dispatch(_ request: Request, from caller: Identity) async -> Result<JSONText, RPCError> {
        guard let position = positions[request.method] else {
            return .failure(
                RPCError(
                    .methodNotFound, "There is no method \(request.method). Call rpc.discover to list the methods."))
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
            return .success(try await interceptor(PendingCall(method, parameters, by: caller, once: request.once)))
        } catch let refusal as Refusal {
            return .failure(RPCError(refusal))
        } catch let error as RPCError {
            return .failure(error)
        } catch is CancellationError {
            return .failure(
                .unavailable("\(method.name) was cancelled, because its caller has disconnected or the server stops."))
        } catch {
            report(method.name, error)
            return .failure(RPCError(.internalError, "\(method.name) failed; the server's log says why."))
        }
    }

    /// Answers one line, which holds a request, a notification or a batch.
    ///
    /// Anything else is answered with an error.
    ///
    /// The calls of a batch run one after another, and are answered in that order.
    ///
    /// - Returns: One line with its ending, at most ``LineFraming/maximumLength`` long; an answer that does not fit
    ///   is replaced by an error. `nil` if there is nothing to answer.
    public func answer(to line: [UInt8], from caller: Identity) async -> [UInt8]? {
        do throws(RPCError) {
            return await answer(to: try Self.message(in: line), from: caller)
        } catch {
            return error.line
        }
    }

    /// Reads a message, without answering it yet.
    ///
    /// - Throws: An error that says where the text is no JSON.
    public static func message(in line: [UInt8]) throws(RPCError) -> JSONValue {
        do {
            return try JSONValue(parsing: line.span)
        } catch {
            throw RPCError(.parseError, "Not JSON: \(error).")
        }
    }

    /// Answers a message that was read before, by the rules of a line.
    public func answer(to message: JSONValue, from caller: Identity) async -> [UInt8]? {
        var json = JSONWriter()
        switch message {
        case .array(let calls):
            guard (1...Self.maximumBatch).contains(calls.count) else {
                let reason = "A batch must have 1 to \(Self.maximumBatch) calls, not \(calls.count)."
                return RPCError(.invalidRequest, reason).line
            }
            json = await answer(calls, from: caller)
            guard !json.bytes.isEmpty else { return nil }
        case let call:
            guard let answer = await answer(call, from: caller) else { return nil }
            json.raw(Self.text(of: answer, within: LineFraming.maximumLength).bytes)
        }
        return json.bytes + [LineFraming.end]
    }

    private typealias Answer = (id: RequestID, result: Result<JSONText, RPCError>)

    /// Returns the answer to one call; `nil` if it was a notification.
    private func answer(_ call: JSONValue, from caller: Identity, isLate: Bool = false) async -> Answer? {
        do throws(RejectedRequest) {
            let request = try Request(call)
            let result = isLate ? .failure(Self.lateness) : await dispatch(request, from: caller)
            return request.id.map { ($0, result) }
        } catch {
            return (error.id, .failure(error.error))
        }
    }

    /// Returns the answers to the calls of a batch as an array; nothing is written if there are no answers.
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
            // Let other callers run between the calls of a batch.
            await Task.yield()
        }
        guard !answers.isEmpty else { return json }
        json.array { json in
            for answer in answers { json.raw(answer.bytes) }
        }
        return json
    }

    private static var lateness: RPCError {
        .unavailable("The batch took longer than \(longestBatch), so this call was not made. Send smaller batches.")
    }

    /// The maximum size of an error without data, in bytes.
    ///
    /// It consists of the id, at six bytes for each of its bytes if all are escaped, and of the surrounding text. A
    /// batch reserves this much for each of its calls.
    private static var errorRoom: Int { 6 * RequestID.maximumLength + 256 }

    /// Returns the encoded answer, or an error in its place if the answer is longer than `room` bytes.
    private static func text(of answer: Answer, within room: Int) -> JSONText {
        let text = JSONText { $0.answer(answer.id, answer.result) }
        guard text.bytes.count > room else { return text }
        let error =
            switch answer.result {
            case .success: RPCError.unavailable("The answer is too long for one line. Request less data.")
            case .failure(let error): RPCError(error.code, error.code.summary)
            }
        return JSONText { $0.answer(answer.id, .failure(error)) }
    }
}
