#if Companion
import ArgumentParser
import Foundation
import Glibc
import RPC
import UnixSignals

/// The command `waymark demo`, which simulates a drive through Liechtenstein and needs no preparation.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show what Waymark does: a drive through Liechtenstein, with a map, four people, a plan and a vote.",
        discussion: """
            The command starts its own daemon in a temporary folder. The drive follows the roads of the whole country, and \
            ends at the present. The command prints the events and notifications that one of \
            the travellers receives, and the address of the pages for a browser on this machine. The folder is removed at \
            the end of the drive, or when you press Ctrl-C.
            """,
        examples: [
            "waymark demo",
            "waymark demo --web",
            "waymark demo --speed 300",
        ])

    @Option(help: ArgumentHelp("The multiple of real time.", valueName: "N"))
    var speed = 20.0

    @Flag(help: "Keep the pages open after the drive, until you press Ctrl-C.")
    var web = false

    @Flag(help: "Keep the folder with the store.")
    var keep = false

    func validate() throws {
        guard (0.1...1000).contains(speed) else { throw ValidationError("--speed takes a number from 0.1 to 1000.") }
    }

    func run() async throws {
        try await Failure.printing { output in
            let stage = try DemoStage(speed: speed)
            // Both strings outlive the call, and no other code runs yet that could read the environment meanwhile.
            _ = unsafe setenv("WAYMARK_SESSION", stage.session, 1)
            defer { stage.tearDown(keepsFolder: keep) }
            let watching = Task { try await play(on: stage, output) }
            let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
            let listening = Task { for await _ in signals { watching.cancel() } }
            defer { listening.cancel() }
            do {
                try await watching.value
            } catch is CancellationError {
                // A signal ends the demonstration; this is no failure.
            }
            if keep { try output.line("The store is \(stage.store).") }
        }
    }

    private func play(on stage: DemoStage, _ output: StandardOutput) async throws {
        try await stage.begin()
        let cast = DemoCast(stage: stage)
        try await cast.signUp()
        try stage.arrive()
        try await cast.board()
        try await cast.meet()
        try await cast.plan()
        try await cast.post()
        let vote = try await cast.openVotes()
        let page = try await stage.page()
        guard page != nil || !web else { throw DemoStage.NoPages() }
        for line in introduction(stage, page, vote: vote) { try output.line(line) }
        try output.flush()
        let arrival = try await stage.beginDrive()
        var lines = EventFormatter(paint: .standardOutput, showsDevice: false)
        let isOver = try await follow(stage, arrival: arrival) { event, name in
            for line in lines.lines(of: EventView(event), called: name) {
                try output.line(line, hanging: EventFormatter.textColumn)
            }
            try output.flush()
        }
        if isOver {
            try output.line(
                "The drive is over. Continue with \"waymark replay\", \"waymark init\" or \"waymark --help\".")
        }
        guard web, let page else { return }
        try output.line("\(page) stays open until you press Ctrl-C.")
        try output.flush()
        while true { try await Task.sleep(for: .seconds(3_600)) }
    }

    /// Returns the lines printed before the drive.
    ///
    /// - Parameter page: The address of the pages; `nil` if there are none.
    private func introduction(_ stage: DemoStage, _ page: String?, vote: String) -> [String] {
        let paint = Paint.standardOutput
        let door = page.map { page in
            [
                "In a browser on this machine: \(paint.bold(page))",
                "Sign in as ada, bob, cleo or dan with the password \"\(DemoCast.password)\". The drive stamps Ada's plan,",
                "and Cleo's vote \(vote) is open: its passcode is \(DemoCast.passcode).", "",
            ]
        }
        return [
            paint.bold(
                "A van drives through Liechtenstein at \(DemoStage.text(speed)) times its speed. Ada is on board."),
            "These are the events and notifications that she receives.", "",
        ] + (door ?? []) + [
            "In another terminal, try:", "",
            "  export WAYMARK_SOCKET=\(stage.socket) WAYMARK_SESSION=\(stage.session)", "  waymark top",
            "  waymark nearest -k 3", "  waymark place search land", "  waymark notifications list",
            "  waymark trip list", "  waymark sight ranking",
            "  waymark votes get \(vote) --passcode \(DemoCast.passcode)", "",
        ]
    }

    /// Passes events to `show` as they arrive, and returns whether the drive has ended.
    ///
    /// - Parameter arrival: The number of the last event before the drive.
    private func follow(
        _ stage: DemoStage, arrival: Int64, _ show: @escaping (JSONValue, _ name: String?) throws -> Void
    ) async throws -> Bool {
        struct Over: Error {}
        let socket = try SocketOption.parse(["--socket", stage.socket])
        let watch = EventWatch(socket, filter: [:], after: 0, limit: nil, wantsNames: true) { event, name in
            // The others are on the map only.
            if let device = event.text("device"), device != DemoStage.van { return }
            // Two files contain the van's first position and its drive. The switch between them is not worth a line.
            let isArrival = event["seq"].flatMap(Int64.init(json:)).map { $0 <= arrival } ?? false
            switch event.text("type") {
            case "source.online" where !isArrival, "source.offline" where isArrival: return
            case "source.offline":
                try show(event, name)
                throw Over()
            default: try show(event, name)
            }
        }
        do {
            try await watch.run()
        } catch is Over {
            return true
        }
        return false
    }
}
#endif
