import Foundation
import FuzzTargets
import Glibc

/// A program that runs a fuzz target in libFuzzer, or writes its seeds.
///
///     Fuzzers list
///     Fuzzers seeds TARGET FOLDER
///     Fuzzers TARGET [OPTION OF LIBFUZZER]... [FOLDER OR FILE]...
@main enum Fuzzers {
    /// The function of the target, which is set before libFuzzer begins and never again.
    nonisolated(unsafe) fileprivate static var run: @Sendable ([UInt8]) -> Void = { _ in }

    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments.dropFirst().first {
        case "list": for target in FuzzTarget.all { print(target.name) }
        case "seeds" where arguments.count == 4: try writeSeeds(of: try target(arguments[2]), to: arguments[3])
        case let name?: fuzz(try target(name), Array(arguments.prefix(1) + arguments.dropFirst(2)))
        case nil: throw Unknown(description: "name a target: \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
        }
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    private static func target(_ name: String) throws -> FuzzTarget {
        guard let target = FuzzTarget.named(name) else { throw Unknown(description: "there is no target \(name)") }
        return target
    }

    private static func fuzz(_ target: FuzzTarget, _ arguments: [String]) {
        unsafe run = target.run
        // This creates what a target creates once, such as a store, before the time of an input counts.
        target.run([])
        // libFuzzer keeps the arguments for as long as the process runs, so they are never freed.
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        var count = CInt(arguments.count)
        let status = unsafe strings.withUnsafeMutableBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe runDriver(&count, &start, readInput)
        }
        exit(status)
    }

    /// Writes the target's own seeds, and pieces of the fixtures that it reads, as small files.
    private static func writeSeeds(of target: FuzzTarget, to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        for (number, seed) in target.seeds.enumerated() { try write("seed-\(number)", seed.utf8) }
        for file in try FileManager.default.contentsOfDirectory(atPath: "fixtures").sorted()
        where target.endings.contains(where: { file.hasSuffix(".\($0)") }) {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "fixtures/\(file)")))
            for (number, start) in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 5)).enumerated() {
                try write("\(file)-\(number)", bytes[start...].prefix(2000))
            }
        }
        let damaged = "fixtures/damaged"
        for file in try FileManager.default.contentsOfDirectory(atPath: damaged).sorted()
        where file.hasPrefix(target.name) {
            try write(file, try Data(contentsOf: URL(fileURLWithPath: "\(damaged)/\(file)")))
        }
    }
}

/// Runs the target on an input; libFuzzer looks for this name and calls it for each input.
@_cdecl("LLVMFuzzerTestOneInput")
func readInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer passes `count` bytes, which are valid during the call.
    unsafe Fuzzers.run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

/// Runs libFuzzer's own main function (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
///
/// Swift passes integers and pointers as C does on the platforms that libFuzzer supports.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
