/// The pattern of the addresses of a page, such as `/plans/:id`.
struct PageRoute: Equatable, Sendable {
    /// The parts of the path; `nil` stands for any text.
    private let parts: [String?]

    /// Creates a route from its pattern, in which a part that begins with a colon stands for any text.
    init(_ pattern: some StringProtocol) {
        parts = pattern.split(separator: "/").map { $0.hasPrefix(":") ? nil : String($0) }
    }

    /// Whether an address belongs to the page.
    func matches(_ address: [String]) -> Bool {
        address.count == parts.count && zip(parts, address).allSatisfy { $0 == nil || $0 == $1 }
    }

    /// Returns the routes of the pages' router: the lines `['/plans/:id', () => import(…` of its script.
    static func all(in script: String) -> [PageRoute] {
        script.split(separator: "\n").compactMap { line in
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("['/"), let end = text.dropFirst(2).firstIndex(of: "'"),
                text[end...].hasPrefix("', () => import(")
            else { return nil }
            return PageRoute(text[..<end].dropFirst(2))
        }
    }
}
