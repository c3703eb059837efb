#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// Raises the limit as far as the system allows without privileges; gives what then holds.
    static func raised() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return fallback }
        let wanted = min(limit.rlim_max, rlim_t(most))
        if limit.rlim_cur < wanted {
            var higher = limit
            higher.rlim_cur = wanted
            if setrlimit(resource, &higher) == 0 { limit = higher }
        }
        return Int(min(limit.rlim_cur, rlim_t(most)))
    }

    /// How many connections of clients leave enough for origins and caches: three quarters of `descriptors`.
    static func connections(of descriptors: Int) -> Int {
        max(1, descriptors - max(24, descriptors / 4))
    }

    /// What holds where the system does not say.
    private static let fallback = 256
    /// More than any server of this kind needs, where the system has no limit.
    private static let most = 1 << 20

    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
    private static let resource = RLIMIT_NOFILE
    #endif
}
