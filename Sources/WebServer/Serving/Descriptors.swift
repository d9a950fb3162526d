import Glibc

/// The files that the process may have open, each connection one of them.
enum Descriptors {
    /// Makes room for so many connections beside what the process has already made room for, as far as the system lets it.
    ///
    /// - Returns: how many there may be: of few files a quarter, as others need them too.
    static func room(forConnections count: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // Both calls read or fill a local variable before they return.
        guard unsafe getrlimit(resource, &limit) == 0 else { return count }
        let (wanted, isBeyond) = limit.rlim_cur.addingReportingOverflow(rlim_t(clamping: count))
        if !isBeyond, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            _ = unsafe setrlimit(resource, &limit)
            guard unsafe getrlimit(resource, &limit) == 0 else { return count }
        }
        return min(count, max(1, Int(clamping: limit.rlim_cur) / 4))
    }
}
