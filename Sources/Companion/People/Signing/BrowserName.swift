/// The name of a browser and of its system, such as Firefox on Android, by which people know their sessions.
///
/// Both come from a short list, so that a session never keeps what a stranger has written.
struct BrowserName: Hashable, Sendable {
    /// The program, such as `Firefox`; `nil` if it is none of the known ones.
    let program: String?
    /// The system, such as `Android`; `nil` if it is none of the known ones.
    let system: String?

    // Browsers also name those that they are compatible with, so the first mark that is found decides.
    private static let programs = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"),
        ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Mac OS X", "macOS"), ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]
    /// The number of bytes in which the marks are looked for.
    private static let longest = 512

    /// Reads the header `User-Agent` of a request; the names are `nil` without one.
    init(userAgent: String?) {
        let text = String(decoding: (userAgent ?? "").utf8.prefix(Self.longest), as: UTF8.self)
        program = Self.programs.first { text.contains($0.0) }?.1
        system = Self.systems.first { text.contains($0.0) }?.1
    }
}
