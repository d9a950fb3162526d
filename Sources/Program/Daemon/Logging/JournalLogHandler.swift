public import Logging

/// A handler that writes each message to the process's log as one line, followed by its metadata as `key=value`.
public struct JournalLogHandler: LogHandler {
    private let output: LogOutput
    private var ownLevel: Logger.Level?
    /// The metadata of each message.
    public var metadata: Logger.Metadata = [:]
    /// Provides metadata of each message when it is logged.
    public var metadataProvider: Logger.MetadataProvider?

    /// Creates a handler that writes to an output.
    public init(output: LogOutput) { self.output = output }

    /// The least severe level to log: the output's, unless this logger was given its own.
    public var logLevel: Logger.Level {
        get { ownLevel ?? output.level }
        set { ownLevel = newValue }
    }

    /// The metadata of each message under a key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes a message.
    ///
    /// Metadata of the message override those of the provider, which override those of the logger.
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
