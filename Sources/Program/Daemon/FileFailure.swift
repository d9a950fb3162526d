public import Positioning
public import Sights

/// An error for a file that could not be read to its end, or not at all.
public struct FileFailure: Error, Sendable {
    /// The file; `-` is standard input.
    public let file: String
    /// The reason.
    public let error: RecordingError

    /// Creates a failure from a file and its error.
    public init(file: String, error: RecordingError) {
        self.file = file
        self.error = error
    }
}

extension SightFile {
    /// Reads the sights of several files, in order.
    ///
    /// - Throws: ``FileFailure`` with the name of the file.
    public static func read(paths: [String]) throws(FileFailure) -> [Sight] { try read(paths: paths, Options()).sights }

    /// Reads the sights of several files, in order.
    ///
    /// - Returns: the sights, and what was ignored or repaired, with the names of the files.
    /// - Throws: ``FileFailure`` with the name of the file.
    public static func read(
        paths: [String], _ options: Options
    ) throws(FileFailure) -> (sights: [Sight], notes: [String]) {
        var sights: [Sight] = []
        var notes: [String] = []
        for path in paths {
            do throws(RecordingError) {
                let content = try content(path: path, options)
                sights.append(contentsOf: content.sights)
                notes.append(contentsOf: content.notes.map { "\(path): \($0)" })
            } catch {
                throw FileFailure(file: path, error: error)
            }
        }
        return (sights, notes)
    }
}
