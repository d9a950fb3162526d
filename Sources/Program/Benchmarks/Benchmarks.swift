import ArgumentParser
import Foundation

/// The command `Benchmarks FOLDER`, which measures the product's own code on defined work.
///
/// It prints a line of figures for each part.
@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measure Waymark on a folder of defined work, and print a line of figures for each part.",
        discussion: """
            The folder contains sights, fixes, queries and tracks; --make writes the missing files that the parts need. \
            Each part runs in its own process, so that its peak memory is its own. Parts whose files are missing are left \
            out. Absolute numbers are comparable only on one machine within one run.
            """)

    @Argument(help: "The folder with the work.")
    var folder: String?

    @Option(
        help: ArgumentHelp("Only these parts: shell patterns, separated by commas. Repeatable.", valueName: "pattern"))
    var only: [String] = []

    @Flag(help: "Print the names of the parts, and exit.")
    var list = false

    @Flag(help: "First write the files that these parts need and the folder lacks.")
    var make = false

    @Option(
        help: ArgumentHelp(
            "The waymark to start as a daemon, instead of the one next to this program.", valueName: "path"))
    var waymark: String?

    @Option(help: ArgumentHelp("How long the part \"phones\" sends, in seconds.", valueName: "seconds"))
    var phoneSeconds = 60

    @Flag(help: .hidden)
    var inThisProcess = false

    @Option(help: .hidden)
    var readers: Int?

    func validate() throws {
        guard (1...86_400).contains(phoneSeconds) else {
            throw ValidationError("--phone-seconds takes 1 to 86400.")
        }
        guard list || folder != nil else { throw ValidationError("Name the folder with the work, or give --list.") }
        if let pattern = patterns.first(where: { pattern in !Benchmark.all.contains { $0.isNamed(by: pattern) } }) {
            throw ValidationError("--only \(pattern) matches no part; --list prints their names.")
        }
    }

    func run() async throws {
        guard let folder, !list else { return print(chosen.map(\.name).joined(separator: "\n")) }
        // In a child process of the fan-out, the folder is the path of the socket.
        if let readers { return try SubscriberProcess.read(from: folder, subscribers: readers) }
        var work = Workload(folder: folder, waymark: try waymark ?? Self.beside())
        work.phoneSeconds = phoneSeconds
        if make { try WorkloadMaker.makeMissing(Set(chosen.flatMap(\.files)), in: work) }
        for benchmark in chosen {
            if let file = benchmark.files.first(where: { !work.has($0) }) {
                complain("\(benchmark.name): left out, \(work.path(file)) is missing; --make writes it")
            } else if inThisProcess {
                try await benchmark.run(work)
            } else {
                try runApart(benchmark, work)
            }
        }
    }

    private var patterns: [String] { only.flatMap { $0.split(separator: ",").map(String.init) } }

    private var chosen: [Benchmark] {
        Benchmark.all.filter { benchmark in patterns.isEmpty || patterns.contains { benchmark.isNamed(by: $0) } }
    }

    /// Runs a benchmark in its own process, which prints the figures itself.
    private func runApart(_ benchmark: Benchmark, _ work: Workload) throws {
        let child = Process()
        child.executableURL = OwnExecutable.url
        child.arguments = [work.folder, "--only", benchmark.name, "--waymark", work.waymark, "--in-this-process"]
        child.arguments? += ["--phone-seconds", "\(work.phoneSeconds)"]
        try child.run()
        child.waitUntilExit()
        guard child.terminationStatus == 0 else {
            complain("\(benchmark.name): it failed")
            throw ExitCode.failure
        }
    }

    private static func beside() throws -> String {
        OwnExecutable.url.deletingLastPathComponent().appendingPathComponent("waymark").path
    }
}

/// The location of this program.
enum OwnExecutable {
    static let url = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
}

/// Reports a problem on standard error.
func complain(_ problem: String) { FileHandle.standardError.write(Data("Benchmarks: \(problem)\n".utf8)) }
