public import Places
public import Positioning

/// A file that could not be read, or not to its end.
public struct FileFailure: Error, Sendable {
    /// The file; `-` is standard input.
    public let file: String
    /// What is wrong with it.
    public let error: RecordingError

    /// What is wrong with a file.
    public init(file: String, error: RecordingError) {
        self.file = file
        self.error = error
    }
}

extension SightFile {
    /// The sights of several files, in order.
    ///
    /// - Throws: ``FileFailure`` that says which file.
    public static func read(paths: [String]) throws(FileFailure) -> [Sight] {
        var sights: [Sight] = []
        for path in paths {
            do throws(RecordingError) {
                sights += try read(path: path)
            } catch {
                throw FileFailure(file: path, error: error)
            }
        }
        return sights
    }
}
