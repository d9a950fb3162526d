import ArgumentParser

extension CommandConfiguration {
    /// A command whose help ends with examples of its use.
    ///
    /// - Parameter examples: whole commands, as somebody types them. A test runs each.
    init(commandName: String, abstract: String, discussion: String = "", aliases: [String] = [], examples: [String]) {
        let parts = [discussion, Examples.text(of: examples)].filter { !$0.isEmpty }
        self.init(
            commandName: commandName, abstract: abstract, discussion: parts.joined(separator: "\n\n"), aliases: aliases)
    }
}

/// How the help of a command shows examples.
enum Examples {
    /// The lines of a help that show them; empty where there are none.
    static func text(of examples: [String]) -> String {
        guard !examples.isEmpty else { return "" }
        let lines = examples.flatMap { $0.split(separator: "\n") }
        return (["EXAMPLES:"] + lines.map { "  \($0)" }).joined(separator: "\n")
    }
}
