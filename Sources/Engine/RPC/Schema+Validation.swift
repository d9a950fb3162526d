import TextCoding

extension Schema {
    /// The reason why a value does not fit a schema.
    public struct Fault: Sendable, Equatable {
        /// The names that lead from the value to the member at fault; empty for the value itself.
        public var path: [String]
        /// The reason, such as "must be a string, not a number".
        public var reason: String
    }

    /// Returns the first fault of a value; `nil` if the value fits.
    ///
    /// A member that is null counts as omitted.
    ///
    /// - Complexity: O(size of the value × number of `anyOf` alternatives).
    public func fault(in value: JSONValue) -> Fault? {
        switch (shape, value) {
        case (.any, _), (.boolean, .bool): nil
        case (.boolean, _): mismatch("true or false", value)
        case (.integer(let range), _): integerFault(value, range)
        case (.number(let range), _): numberFault(value, range)
        case (.string(let length, _), .string(let text)): Self.lengthFault(text.unicodeScalars.count, length)
        case (.choice(let texts), .string(let text)) where texts.contains(text): nil
        case (.choice(let texts), _): Fault(path: [], reason: "must be one of \(texts.joined(separator: ", "))")
        case (.string, _): mismatch("a string", value)
        case (.array(let element, let count), .array(let elements)):
            Self.elementFault(elements, element, count)
        case (.array, _): mismatch("an array", value)
        case (.object(let fields), .object(let members)): Self.memberFault(members, fields)
        case (.map(let schema), .object(let members)):
            members.names.lazy.compactMap { name in
                members[name].flatMap { schema.fault(in: $0)?.within(name) }
            }.first
        case (.object, _), (.map, _): mismatch("an object", value)
        case (.anyOf(let schemas), _): Self.alternativeFault(value, schemas)
        }
    }

    /// Returns the first fault of an object's members: an unknown name, or a field that is missing or does not fit.
    static func memberFault(_ members: JSONObject, _ fields: [Field]) -> Fault? {
        for name in members.names where !fields.contains(where: { $0.name == name }) {
            let known = fields.map(\.name).joined(separator: ", ")
            return Fault(path: [name], reason: known.isEmpty ? "is unknown" : "is unknown; the members are \(known)")
        }
        for field in fields {
            switch members[field.name] {
            case nil, .null?:
                if field.isRequired { return Fault(path: [field.name], reason: "is missing") }
            case let value?:
                if let fault = field.schema.fault(in: value) { return fault.within(field.name) }
            }
        }
        return nil
    }

    private func mismatch(_ expected: String, _ value: JSONValue) -> Fault {
        Fault(path: [], reason: "must be \(expected), not \(value.kind)")
    }

    private func integerFault(_ value: JSONValue, _ range: ClosedRange<Int64>) -> Fault? {
        guard let number = Int64(json: value) else {
            if case .number = value { return Fault(path: [], reason: "must be a whole number") }
            return mismatch("a whole number", value)
        }
        guard !range.contains(number) else { return nil }
        return Self.rangeFault(
            range.lowerBound == .min ? nil : String(range.lowerBound),
            range.upperBound == .max ? nil : String(range.upperBound))
    }

    private func numberFault(_ value: JSONValue, _ range: ClosedRange<Double>) -> Fault? {
        guard let number = Double(json: value) else { return mismatch("a number", value) }
        guard !range.contains(number) else { return nil }
        func text(_ bound: Double) -> String? {
            bound.isFinite ? DecimalText.string(bound, decimals: 7) : nil
        }
        return Self.rangeFault(text(range.lowerBound), text(range.upperBound))
    }

    private static func rangeFault(_ lower: String?, _ upper: String?) -> Fault {
        switch (lower, upper) {
        case (let lower?, let upper?): Fault(path: [], reason: "must be from \(lower) to \(upper)")
        case (let lower?, nil): Fault(path: [], reason: "must be at least \(lower)")
        case (nil, let upper?): Fault(path: [], reason: "must be at most \(upper)")
        case (nil, nil): Fault(path: [], reason: "is out of range")
        }
    }

    private static func lengthFault(_ count: Int, _ length: ClosedRange<Int>) -> Fault? {
        if count == 0, length.lowerBound > 0 { return Fault(path: [], reason: "must not be empty") }
        if count < length.lowerBound {
            return Fault(path: [], reason: "must have at least \(length.lowerBound) characters")
        }
        if count > length.upperBound {
            return Fault(path: [], reason: "must have at most \(length.upperBound) characters")
        }
        return nil
    }

    private static func elementFault(
        _ elements: [JSONValue], _ schema: Schema, _ count: ClosedRange<Int>
    ) -> Fault? {
        guard count.contains(elements.count) else {
            let wanted =
                count.lowerBound == count.upperBound
                ? "\(count.lowerBound)"
                : elements.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
            return Fault(path: [], reason: "must have \(wanted) elements, not \(elements.count)")
        }
        for (index, element) in elements.enumerated() {
            guard var fault = schema.fault(in: element) else { continue }
            fault.reason =
                fault.path.isEmpty
                ? "element \(index + 1) \(fault.reason)" : "\(fault.reason) (in element \(index + 1))"
            return fault
        }
        return nil
    }

    /// Returns the fault of the alternative that matched deepest, because the caller most likely meant that one.
    private static func alternativeFault(_ value: JSONValue, _ schemas: [Schema]) -> Fault? {
        var deepest: Fault?
        for schema in schemas {
            guard let fault = schema.fault(in: value) else { return nil }
            if deepest.map({ fault.path.count > $0.path.count }) ?? true { deepest = fault }
        }
        return deepest
    }
}

extension Schema.Fault {
    /// Returns the fault as seen from the object that has the value as its member `name`.
    func within(_ name: String) -> Schema.Fault {
        Schema.Fault(path: [name] + path, reason: reason)
    }
}
