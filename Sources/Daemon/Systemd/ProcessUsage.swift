import Glibc
import Receivers

/// What this process takes of the machine; what the system does not tell is nil.
public struct ProcessUsage: Hashable, Sendable {
    /// Memory that is resident, in bytes, that shared with other processes included (`VmRSS`, proc(5)).
    public let residentBytes: Int64?
    /// Resident memory that is this process's alone, in bytes (`RssAnon`).
    public let privateBytes: Int64?
    /// Bytes that went, or will go, to storage since the start (`write_bytes`).
    public let writtenBytes: Int64?
    /// Seconds that processors worked for the process since the start.
    public let processorSeconds: Double?

    /// The usage at this moment.
    public init() { self.init(folder: "/proc/self") }

    init(folder: String) {
        let status = Self.fields(of: "\(folder)/status")
        residentBytes = status["VmRSS"].flatMap(Self.kilobytes)
        privateBytes = status["RssAnon"].flatMap(Self.kilobytes)
        writtenBytes = Self.fields(of: "\(folder)/io")["write_bytes"].flatMap { Int64($0) }
        var time = timespec()
        // The structure is ours, and filled during the call.
        let isKnown = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0
        processorSeconds = isKnown ? Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 : nil
    }

    /// The lines `NAME: VALUE` of a file of the system's, which are small and made for one read.
    private static func fields(of path: String) -> [String: Substring] {
        guard let bytes = try? FileBytes(path: path).next() else { return [:] }
        var fields: [String: Substring] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = line[line.index(after: colon)...].drop { $0.isWhitespace }
        }
        return fields
    }

    private static func kilobytes(_ text: Substring) -> Int64? {
        guard text.hasSuffix(" kB"), let value = Int64(text.dropLast(3)) else { return nil }
        let (bytes, isTooLarge) = value.multipliedReportingOverflow(by: 1024)
        return isTooLarge ? nil : bytes
    }
}
