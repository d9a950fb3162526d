/// A method's declaration, from which the server serves, validates and documents it.
///
/// It is a class because tables of hundreds of methods are joined and copied, and a value would be copied field by
/// field.
public final class Method<Identity: Caller>: Sendable {
    /// The name, as `noun.verb`.
    public let name: String
    /// The description of what the method does, one sentence.
    public let summary: String
    /// The parameters in positional order, the required ones first.
    public let parameters: [Field]
    /// The schema of the answer.
    public let result: Schema
    /// The errors that are specific to this method.
    public let errors: [Refusal.Kind]
    /// The right that a caller needs.
    public let right: AccessRight
    /// The confirmation to ask before the call; `nil` if none is needed.
    ///
    /// Programs for people, such as the command line, ask it. The server takes a call as confirmed.
    public let question: String?
    /// How programs for people go on with a call.
    public let conversation: Conversation
    /// Converts validated parameters, runs the method, and encodes its answer.
    let handler: @Sendable (_ caller: Identity, _ members: JSONObject) async throws -> JSONText
    /// Encodes a value as the answer; `nil` if it is of another type.
    let encode: @Sendable (_ value: any Sendable) -> JSONText?

    /// Creates a method from one declaration of its parameters and answer.
    ///
    /// The declaration includes their schemas, documentation and Swift types. If the handler throws anything but a
    /// ``Refusal``, the caller receives error -32603 and the error is reported.
    ///
    /// - Parameters:
    ///   - parameters: The parameters in positional order, the required ones first and with unique names. Violating
    ///     this stops the program.
    ///   - translate: Converts an error of the handler to a refusal for callers; `nil` leaves the error unchanged.
    public init<each Value: Sendable, Answer: Sendable>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>, answers: AnswerShape<Answer>,
        errors: [Refusal.Kind] = [], right: AccessRight, question: String? = nil,
        translate: @escaping @Sendable (any Error) -> Refusal? = { _ in nil },
        handler: @escaping @Sendable (Call<Identity>, repeat each Value) async throws -> Answer
    ) {
        var fields: [Field] = []
        for parameter in repeat each parameters { fields += parameter.fields }
        let firstOptional = fields.firstIndex { !$0.isRequired } ?? fields.endIndex
        precondition(
            !fields[firstOptional...].contains(where: \.isRequired) && Set(fields.map(\.name)).count == fields.count,
            "\(name): required parameters must come first, and names must be unique")
        self.name = name
        self.summary = summary
        self.parameters = fields
        result = answers.schema
        self.errors = errors
        self.right = right
        self.question = question
        conversation = Conversation()
        encode = { value in (value as? Answer).map { answers.text(of: $0) } }
        self.handler = { caller, members in
            do {
                return answers.text(
                    of: try await handler(Call(caller: caller), repeat try (each parameters).read(members)))
            } catch {
                throw translate(error) ?? error
            }
        }
    }

    /// Returns the same method with a conversation for programs for people.
    public func conversing(_ conversation: Conversation) -> Method { Method(self, conversation) }

    private init(_ other: Method, _ conversation: Conversation) {
        name = other.name
        summary = other.summary
        parameters = other.parameters
        result = other.result
        errors = other.errors
        right = other.right
        question = other.question
        handler = other.handler
        encode = other.encode
        self.conversation = conversation
    }

    /// Returns the given parameters by name and without nulls, validated against the declaration.
    ///
    /// - Throws: Error -32602 for an unknown name or too many positional values; error 4 (invalid value) for a
    ///   parameter that is missing or does not fit its schema. The error names the field, except for too many values.
    func bind(_ given: Request.Parameters) throws(RPCError) -> JSONObject {
        var members = JSONObject()
        switch given {
        case .named(let named):
            for name in named.names {
                guard parameters.contains(where: { $0.name == name }) else {
                    let known = parameters.map(\.name).joined(separator: ", ")
                    throw .invalidParameters(
                        "\(self.name) has no parameter \(name)"
                            + (known.isEmpty ? "; it takes none." : ", only \(known)."),
                        field: name)
                }
                if named[name] != .null { members[name] = named[name] }
            }
        case .positional(let values):
            guard values.count <= parameters.count else {
                throw .invalidParameters(
                    "\(name) has \(parameters.count) parameters, but \(values.count) were given by position.")
            }
            for (field, value) in zip(parameters, values) where value != .null { members[field.name] = value }
        }
        if let fault = Schema.memberFault(members, parameters) {
            throw RPCError(Refusal.invalid(fault.path.joined(separator: "."), fault.reason))
        }
        return members
    }
}

/// The declaration of a notification that the server sends.
public struct NotificationDeclaration: Sendable {
    /// The name, which takes the place of a method's name.
    let name: String
    /// The description of when it is sent, one sentence.
    let summary: String
    /// The parameters, which are always given by name.
    let parameters: [Field]

    /// Creates a declaration of a notification.
    public init(_ name: String, _ summary: String, parameters: [Field]) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }
}
