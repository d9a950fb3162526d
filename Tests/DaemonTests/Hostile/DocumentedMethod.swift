#if Companion
import RPC
import Service

/// A method as `rpc.discover` describes it, which is all that a client with nothing but the document knows.
struct DocumentedMethod: Sendable {
    struct Parameter: Sendable {
        var name: String
        var isRequired: Bool
        var schema: JSONValue
    }

    let name: String
    let parameters: [Parameter]
    let result: JSONValue
    let errors: Set<Int64>

    /// Returns the methods of a document, or none if it is not one.
    static func all(of document: JSONValue) -> [DocumentedMethod] {
        (document["methods"]?.elements ?? []).compactMap(DocumentedMethod.init)
    }

    private init?(_ method: JSONValue) {
        guard let name = method["name"]?.text, let result = method["result"]?["schema"] else { return nil }
        self.name = name
        self.result = result
        errors = Set((method["errors"]?.elements ?? []).compactMap { $0["code"]?.whole })
        parameters = (method["params"]?.elements ?? []).compactMap { parameter in
            guard let name = parameter["name"]?.text, let schema = parameter["schema"] else { return nil }
            return Parameter(name: name, isRequired: parameter["required"] == true, schema: schema)
        }
    }
}

/// The part of JSON Schema (draft 7) that the document uses.
enum DocumentedSchema {
    /// Returns where and why a value does not fit a schema, or `nil` if it fits.
    ///
    /// A member that is null counts as missing.
    static func fault(in value: JSONValue, of schema: JSONValue, at path: String = "") -> String? {
        if let alternatives = schema["anyOf"]?.elements {
            let faults = alternatives.map { fault(in: value, of: $0, at: path) }
            return faults.contains(nil) ? nil : faults.compactMap(\.self).first
        }
        if let choices = schema["enum"]?.elements, !choices.contains(value) { return "\(path): not one of the choices" }
        switch (schema["type"]?.text, value) {
        case (nil, _), ("boolean", .bool): return nil
        case ("integer", .integer(let number)): return rangeFault(Double(number), schema, path)
        case ("integer", .number(let number)) where number == number.rounded():
            return rangeFault(number, schema, path)
        case ("number", .integer(let number)): return rangeFault(Double(number), schema, path)
        case ("number", .number(let number)): return rangeFault(number, schema, path)
        case ("string", .string(let text)):
            return countFault(text.unicodeScalars.count, schema["minLength"], schema["maxLength"], path)
        case ("array", .array(let elements)):
            if let fault = countFault(elements.count, schema["minItems"], schema["maxItems"], path) { return fault }
            guard let items = schema["items"] else { return nil }
            return elements.lazy.compactMap { fault(in: $0, of: items, at: path + "[]") }.first
        case ("object", .object(let members)): return memberFault(members, schema, path)
        case (let type?, _): return "\(path): not of type \(type)"
        }
    }

    private static func memberFault(_ members: JSONObject, _ schema: JSONValue, _ path: String) -> String? {
        for name in (schema["required"]?.elements ?? []).compactMap(\.text) {
            if members[name] == nil || members[name] == .null { return "\(path).\(name): missing" }
        }
        for name in members.names {
            guard let value = members[name], value != .null else { continue }
            if let member = schema["properties"]?[name] {
                if let fault = fault(in: value, of: member, at: "\(path).\(name)") { return fault }
            } else if let other = schema["additionalProperties"] {
                if other == false { return "\(path).\(name): not declared" }
                if let fault = fault(in: value, of: other, at: "\(path).\(name)") { return fault }
            }
        }
        return nil
    }

    private static func rangeFault(_ number: Double, _ schema: JSONValue, _ path: String) -> String? {
        if let least = schema["minimum"]?.real, number < least { return "\(path): \(number) is below \(least)" }
        if let most = schema["maximum"]?.real, number > most { return "\(path): \(number) is above \(most)" }
        return nil
    }

    private static func countFault(_ count: Int, _ least: JSONValue?, _ most: JSONValue?, _ path: String) -> String? {
        if let least = least?.whole, count < least { return "\(path): \(count) is too short" }
        if let most = most?.whole, count > most { return "\(path): \(count) is too long" }
        return nil
    }
}

extension JSONValue {
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var whole: Int64? { if case .integer(let number) = self { number } else { nil } }
    var real: Double? { Double(json: self) }
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
}
#endif
