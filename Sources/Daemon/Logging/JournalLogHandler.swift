public import Logging

/// Writes a logger's messages to the log of the process, each as one line, its metadata after it as `key=value`.
public struct JournalLogHandler: LogHandler {
    private let output: LogOutput
    private var ownLevel: Logger.Level?
    /// What is told with each message.
    public var metadata: Logger.Metadata = [:]
    /// What is told with each message, asked when it is logged.
    public var metadataProvider: Logger.MetadataProvider?

    /// A handler that writes to an output.
    public init(output: LogOutput) { self.output = output }

    /// The least severe level logged: that of the output, unless this logger was given one of its own.
    public var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    /// What is told with each message under a key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message; of metadata with the same key, the message's own goes before that of the provider, and that
    /// before the logger's.
    public func log(event: LogEvent) {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let own = event.metadata { all.merge(own) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        var text = LogText.harmless("\(event.message)")
        for (key, value) in all.sorted(by: { $0.key < $1.key }) {
            text += " \(LogText.word(key))=\(LogText.word("\(value)"))"
        }
        output.write(text, level: event.level)
    }
}
