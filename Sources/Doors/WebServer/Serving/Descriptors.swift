import Glibc

/// The number of files that the process may have open; each connection is one of them.
enum Descriptors {
    /// Raises the limit of open files by the number of connections, as far as the system allows.
    ///
    /// - Returns: The number of connections to allow: at most a quarter of the limit, because other parts need files,
    ///   too.
    static func room(forConnections count: Int) -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        // Both calls read or fill a local variable, and return before it goes out of scope.
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
