#if Companion
import Subprocess

/// The bytes for a command's standard input, which the command need not read.
///
/// With the inputs of swift-subprocess 1.0.2, a failed write leaves the pipe open, for example if a command exits
/// without reading all of its input. The process then ends by the library's assertion that the pipe is closed
/// ("FileDescriptor was not closed"). This input ignores failed writes: the exit status shows whether the command
/// succeeded.
///
/// SIGPIPE must be ignored.
struct CommandInput: InputProtocol {
    let bytes: [UInt8]

    func write(with writer: StandardInputWriter) async throws { _ = try? await writer.write(bytes) }
}
#endif
