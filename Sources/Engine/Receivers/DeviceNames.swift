/// The device names of the receivers of one source.
///
/// A single receiver has the source's name. If gpsd lists several, each is named NAME/BASENAME, and so is one that
/// appears later beside another. If two have the same base name, the later one gets more components of its path. A path
/// keeps its name. The source's name moves to a new path only if gpsd lists that path alone, as after a receiver was
/// plugged into another socket.
struct DeviceNames: Sendable {
    /// The greatest number of named paths.
    ///
    /// A server with more paths than this invents them. What comes from the others is left out.
    static let maximumPaths = 10_000

    private let name: String
    private var names: [String: String] = [:]
    /// The paths by their names.
    private var paths: [String: String] = [:]

    /// Creates the names for the receivers of a source with the given name.
    init(_ name: String) { self.name = name }

    /// Names the receivers that gpsd lists.
    mutating func list(_ paths: [String]) {
        if let path = paths.first, paths.count == 1 {
            guard names[path] == nil else { return }
            if let other = self.paths[name] { names[other] = nil }
            give(name, to: path)
        } else {
            for path in paths { add(path, isAlone: false) }
        }
    }

    /// Returns the name of the receiver at a path; `nil` if there are too many paths.
    ///
    /// Without a path, this is the name of the source.
    mutating func name(of path: String?) -> String? {
        guard let path else { return name }
        add(path, isAlone: names.isEmpty)
        return names[path]
    }

    /// Whether a path has the given name.
    func isGiven(_ name: String) -> Bool { paths[name] != nil }

    private mutating func add(_ path: String, isAlone: Bool) {
        guard names[path] == nil, names.count < Self.maximumPaths else { return }
        guard !isAlone else { return give(name, to: path) }
        let parts = path.split(separator: "/")
        for length in 1...max(1, parts.count) {
            let candidate = "\(name)/\(parts.suffix(length).joined(separator: "/"))"
            guard paths[candidate] != nil else { return give(candidate, to: path) }
        }
        // Two paths differ in their slashes only.
        give("\(name)//\(path)", to: path)
    }

    private mutating func give(_ name: String, to path: String) {
        names[path] = name
        paths[name] = path
    }
}
