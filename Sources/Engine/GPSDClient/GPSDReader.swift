import Positioning

/// Turns the bytes from gpsd into reports, piece by piece.
///
/// The pieces may be split anywhere without changing the reports. Memory is bounded by the longest line.
struct GPSDReader {
    /// Whether the first line, gpsd's banner, has been read.
    private(set) var hasBanner = false

    /// The greatest length of a line in bytes.
    ///
    /// gpsd writes at most 10,240 (gpsd_json(5)); the rest is a reserve for later versions.
    static let maximumLineLength = 65_536

    private let device: String?
    private let unpacker: LineUnpacker
    private var epochs = EpochAssembler()
    private var line: [UInt8] = []
    private var isTooLong = false

    /// Creates a reader for one connection.
    ///
    /// If `device` is not `nil`, it reports only this receiver.
    init(device: String?) throws(GPSDError) {
        self.device = device
        unpacker = try LineUnpacker()
    }

    /// Reads bytes, and appends the reports that are complete.
    ///
    /// - Throws: ``GPSDError`` if the first line is not a banner.
    mutating func feed(_ bytes: Span<UInt8>, into reports: inout [GPSDReport]) throws(GPSDError) {
        for index in 0..<bytes.count {
            if bytes[index] == UInt8(ascii: "\n") {
                try finishLine(into: &reports)
            } else if line.count < Self.maximumLineLength {
                line.append(bytes[index])
            } else {
                guard hasBanner else { throw .notGPSD(line.span) }
                isTooLong = true
            }
        }
    }

    private mutating func finishLine(into reports: inout [GPSDReport]) throws(GPSDError) {
        defer {
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        guard !isTooLong else { return reports.append(.skipped(.tooLong)) }
        guard hasBanner else { return reports.append(try banner()) }
        if let report = report(), isWanted(report) { reports.append(report) }
    }

    private mutating func banner() throws(GPSDError) -> GPSDReport {
        guard case .version(let release, let major, let minor) = report() else { throw .notGPSD(line.span) }
        hasBanner = true
        return .version(release: release, major: major, minor: minor)
    }

    /// Returns the report in the line, or `nil` if the line is irrelevant.
    private mutating func report() -> GPSDReport? {
        do throws(GPSDLine.Refusal) {
            let line = try GPSDLine(line.span)
            if line.kind == .devices { return .devices(line.devices.map { unpacker.unpack($0).device }) }
            let (message, device) = unpacker.unpack(line)
            switch message {
            case nil: return .skipped(.garbled, device)
            case .version(let release, let major, let minor):
                return .version(release: release, major: major, minor: minor)
            case .device(let isActive): return isActive ? .activated(device: device) : .deactivated(device: device)
            case .error(let message): return .complaint(message)
            case .position(let report): return epochs.assemble(report, device: device)
            case .sky(let report): return epochs.assemble(report, device: device)
            }
        } catch {
            return error == .otherClass || isBlank ? nil : .skipped(.garbled)
        }
    }

    private var isBlank: Bool { line.allSatisfy { $0 == 0x20 || $0 == 0x0D } }

    /// Whether a report concerns the requested receiver.
    ///
    /// gpsd sends only what was requested, but a proxy may send more.
    private func isWanted(_ report: GPSDReport) -> Bool {
        guard let wanted = device else { return true }
        switch report {
        case .version, .devices, .complaint: return true
        case .activated(let device), .deactivated(let device), .fix(_, let device), .alive(let device),
            .skipped(_, let device):
            return device == wanted || device.isEmpty
        }
    }
}
