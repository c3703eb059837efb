#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// How many files and sockets this process may have open.
package enum DescriptorLimit {
    /// What holds now.
    static var current: Int { limits.map { Int(min($0.rlim_cur, rlim_t(most))) } ?? fallback }

    /// Raises it as far as the system allows without privileges.
    package static func raise() {
        guard var limits else { return }
        let wanted = min(limits.rlim_max, rlim_t(most))
        guard limits.rlim_cur < wanted else { return }
        limits.rlim_cur = wanted
        _ = setrlimit(resource, &limits)
    }

    /// How many processors there are, for each of which a few are open from the start.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
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
