import Subprocess

/// What a command is given on its standard input, which it need not read.
///
/// The inputs of swift-subprocess 1.0.2 leave the pipe open where writing fails, as to a command that ends without reading
/// all, and the process ends by its own assertion that it is closed ("FileDescriptor was not closed"). This one does not
/// fail: whether a command has done what it should is for its exit status to say.
///
/// SIGPIPE must be ignored.
struct CommandInput: InputProtocol {
    let bytes: [UInt8]

    func write(with writer: StandardInputWriter) async throws { _ = try? await writer.write(bytes) }
}
