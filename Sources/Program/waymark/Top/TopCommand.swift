import ArgumentParser
import Positioning
import SocketServer

/// The command `waymark top`, which shows the daemon on one page and updates it.
struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "Follow the daemon on one page: receivers, position, trip, sights and events.",
        discussion: """
            Keys: q quits, n shows the next device, and the space bar pauses the page. In a pipe, or with --once, the \
            command prints one page and exits.
            """,
        examples: [
            "waymark top",
            "waymark top --once",
        ])

    @OptionGroup var daemon: SocketOption

    @Flag(help: "Print one page and exit.")
    var once = false

    func run() async throws {
        try await Failure.printing { output in
            guard !once, let terminal = Terminal() else {
                let sample = try await daemon.connect(within: DaemonReport.longestWait) {
                    try await TopSample(from: $0, device: 0)
                }
                let size = Paint.isTerminal(1) ? Terminal.size : (columns: 80, rows: 24)
                for line in page(sample, size: size).lines { try output.line(line) }
                return
            }
            defer { terminal.restore() }
            try await daemon.connect { try await follow($0, on: terminal) }
        }
    }

    /// Draws a page every second until a key ends it.
    private func follow(_ client: SocketClient, on terminal: Terminal) async throws {
        var device = 0
        var isHeld = false
        while true {
            if !isHeld {
                let sample = try await TopSample(from: client, device: device)
                terminal.draw(page(sample, size: Terminal.size).lines.map(Paint.standardOutput.harmless))
            }
            switch terminal.key(within: 1000) {
            case "q", "Q", "\u{1B}", "\u{04}": return
            case "n", "N": device += 1
            case " ": isHeld.toggle()
            default: break
            }
        }
    }

    private func page(_ sample: TopSample, size: (columns: Int, rows: Int)) -> TopPage {
        TopPage(sample: sample, path: daemon.path, now: .now, paint: .standardOutput, size: size)
    }
}
