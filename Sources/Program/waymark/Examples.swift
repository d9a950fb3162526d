import ArgumentParser

extension CommandConfiguration {
    /// Creates a configuration whose help ends with examples.
    ///
    /// - Parameter examples: Complete commands, as a person types them. A test runs each.
    init(commandName: String, abstract: String, discussion: String = "", aliases: [String] = [], examples: [String]) {
        let parts = [discussion, Examples.text(of: examples)].filter { !$0.isEmpty }
        self.init(
            commandName: commandName, abstract: abstract, discussion: parts.joined(separator: "\n\n"), aliases: aliases)
    }
}

/// A formatter for the examples in the help of a command.
enum Examples {
    /// Returns the text that shows the examples; an empty text if there are none.
    static func text(of examples: [String]) -> String {
        guard !examples.isEmpty else { return "" }
        let lines = examples.flatMap { $0.split(separator: "\n") }
        return (["EXAMPLES:"] + lines.map { "  \($0)" }).joined(separator: "\n")
    }
}
