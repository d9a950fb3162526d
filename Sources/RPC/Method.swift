/// The declaration of a method: all that serving, checking and documenting it need.
public struct Method<Identity: Caller>: Sendable {
    /// The name, `noun.verb`.
    public let name: String
    /// What it does, a sentence.
    public let summary: String
    /// Its parameters in the order for giving them by position, the required ones first.
    public let parameters: [Field]
    /// What it answers.
    public let result: Schema
    /// The errors it gives besides those that any method may.
    public let errors: [Refusal.Kind]
    /// What the caller must be allowed to.
    public let right: AccessRight
    /// What people are asked before it is done; nil where it is done without.
    ///
    /// For who asks people, such as the command line; a call is the answer yes.
    public let question: String?
    /// Reads the parameters, which fit their declarations, carries the call out, and writes what comes of it.
    let handler: @Sendable (_ caller: Identity, _ members: JSONObject) async throws -> JSONText

    /// A method.
    ///
    /// Its parameters and its answer are declared once: what they look like, what they mean, what the handler gets of
    /// them, and how its value is written. What the handler throws besides ``Refusal`` is answered as error -32603 and
    /// reported.
    ///
    /// - Parameter parameters: in the order for giving them by position, the required ones first, and no name twice:
    ///   anything else is a mistake in the declaration and ends the program.
    /// - Parameter translate: what an error of the handler means to callers; nil leaves it as it is.
    public init<each Value: Sendable, Answer: Sendable>(
        _ name: String, _ summary: String, _ parameters: repeat Parameter<each Value>, answers: Shape<Answer>,
        errors: [Refusal.Kind] = [], right: AccessRight, question: String? = nil,
        translate: @escaping @Sendable (any Error) -> Refusal? = { _ in nil },
        handler: @escaping @Sendable (Call<Identity>, repeat each Value) async throws -> Answer
    ) {
        var fields: [Field] = []
        for parameter in repeat each parameters { fields += parameter.fields }
        let firstOptional = fields.firstIndex { !$0.isRequired } ?? fields.endIndex
        precondition(
            !fields[firstOptional...].contains(where: \.isRequired) && Set(fields.map(\.name)).count == fields.count,
            "\(name): required parameters come first, and each name once")
        self.name = name
        self.summary = summary
        self.parameters = fields
        result = answers.schema
        self.errors = errors
        self.right = right
        self.question = question
        self.handler = { caller, members in
            do {
                return answers.text(
                    of: try await handler(Call(caller: caller), repeat try (each parameters).read(members)))
            } catch {
                throw translate(error) ?? error
            }
        }
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
            throw RPCError(Refusal.invalid(fault.path.joined(separator: "."), fault.reason))
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
