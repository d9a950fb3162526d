import Positioning

/// Turns the bytes of a gpsd into reports, piece by piece.
///
/// The pieces may be cut anywhere; the reports are the same. Memory is bounded by the longest line.
struct GPSDReader {
    /// Whether the first line has come; it is gpsd's banner.
    private(set) var hasBanner = false

    /// How long a line may be; gpsd writes at most 10,240 bytes (gpsd_json(5)), and some room is left for later ones.
    static let maximumLineLength = 65_536

    private let device: String?
    private let unpacker: LineUnpacker
    private var epochs = EpochKeeper()
    private var line: [UInt8] = []
    private var isTooLong = false

    /// A reader for one connection, and for one receiver where one is named.
    init(device: String?) throws(GPSDError) {
        self.device = device
        unpacker = try LineUnpacker()
    }

    /// Reads on, and appends the reports that are complete.
    ///
    /// - Throws: ``GPSDError`` where the first line is no banner.
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

    /// What the line says; nil where that is of no concern here.
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
            case .position(let report): return epochs.take(report, device: device)
            case .sky(let report): return epochs.take(report, device: device)
            }
        } catch {
            return error == .otherClass || isBlank ? nil : .skipped(.garbled)
        }
    }

    private var isBlank: Bool { line.allSatisfy { $0 == 0x20 || $0 == 0x0D } }

    /// gpsd sends what was asked for; a proxy in its place may not.
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
