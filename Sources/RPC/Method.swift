/// The declaration of a method: all that serving, checking and documenting it need.
public struct Method<Identity: Caller>: Sendable {
    /// What carries a call out; what it throws besides ``RPCError`` is answered as error -32603 and reported.
    public typealias Handler = @Sendable (Call<Identity>) async throws -> JSONText

    /// The name, `noun.verb`.
    public let name: String
    /// What it does, a sentence.
    public let summary: String
    /// Its parameters in the order for giving them by position, the required ones first.
    public let parameters: [Field]
    /// What it answers.
    public let result: Schema
    /// The errors it gives besides those that any method may.
    public let errors: [RPCError.Code]
    /// What the caller must be allowed to.
    public let right: AccessRight
    /// What people are asked before it is done; nil where it is done without.
    ///
    /// For who asks people, such as the command line; a call is the answer yes.
    public let question: String?
    let handler: Handler

    /// A method whose parameters and answer are declared once: what they look like, what they mean, what the handler
    /// gets of them, and how its value is written.
    ///
    /// - Parameter parameters: in the order for giving them by position, the required ones first, and no name twice:
    ///   anything else is a mistake in the declaration and ends the program.
    /// - Parameter translate: what an error of the handler means to callers; nil leaves it as it is.
    public init<each Value: Sendable, Answer: Sendable>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>, answers: Shape<Answer>,
        errors: [RPCError.Code] = [], right: AccessRight, question: String? = nil,
        translate: @escaping @Sendable (any Error) -> RPCError? = { _ in nil },
        handler: @escaping @Sendable (Call<Identity>, repeat each Value) async throws -> Answer
    ) {
        var fields: [Field] = []
        for parameter in repeat each parameters { fields += parameter.fields }
        self.init(
            name, summary, parameters: fields, result: answers.schema, errors: errors, right: right, question: question
        ) { call in
            let given = call.parameters
            do {
                return answers.text(of: try await handler(call, repeat try (each parameters).read(given)))
            } catch {
                throw translate(error) ?? error
            }
        }
    }

    /// A method.
    ///
    /// The required parameters must come before the optional ones, and no name twice: anything else is a mistake in
    /// the declaration and ends the program.
    public init(
        _ name: String, _ summary: String, parameters: [Field] = [], result: Schema,
        errors: [RPCError.Code] = [], right: AccessRight, question: String? = nil, handler: @escaping Handler
    ) {
        let firstOptional = parameters.firstIndex { !$0.isRequired } ?? parameters.endIndex
        precondition(
            !parameters[firstOptional...].contains(where: \.isRequired)
                && Set(parameters.map(\.name)).count == parameters.count,
            "\(name): required parameters come first, and each name once")
        self.name = name
        self.summary = summary
        self.parameters = parameters
        self.result = result
        self.errors = errors
        self.right = right
        self.question = question
        self.handler = handler
    }

    /// The given parameters by name and without nulls, checked against the declaration.
    ///
    /// - Throws: error -32602 for an unknown name or too many by position, error 4 for a field that is missing or
    ///   does not fit; both name the field.
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
                    "\(name) has \(parameters.count) parameters; \(values.count) were given by position.")
            }
            for (field, value) in zip(parameters, values) where value != .null { members[field.name] = value }
        }
        if let fault = Schema.memberFault(members, parameters) {
            throw .invalid(fault.path.joined(separator: "."), fault.reason)
        }
        return members
    }
}

/// The declaration of something that the server tells without being asked.
public struct NotificationDeclaration: Sendable {
    /// The name, in the place of a method's.
    let name: String
    /// When it is told, a sentence.
    let summary: String
    /// Its parameters, always by name.
    let parameters: [Field]

    /// A notification.
    public init(_ name: String, _ summary: String, parameters: [Field]) {
        self.name = name
        self.summary = summary
        self.parameters = parameters
    }
}
