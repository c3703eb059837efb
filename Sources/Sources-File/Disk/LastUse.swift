#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The time of last use that the file system keeps of a file.
enum LastUse {
    /// Sets it to `nanoseconds` since 1970. A hint that may get lost: what the file system refuses is no failure of a read.
    static func set(_ nanoseconds: Int64, of path: String) {
        guard let place = try? Place(path) else { return }
        var times = [timespec(), timespec()]
        times[0].tv_sec = .init(nanoseconds / 1_000_000_000)
        times[0].tv_nsec = .init(max(0, nanoseconds % 1_000_000_000))
        times[1].tv_nsec = omitted
        _ = utimensat(place.start, place.path, times, AT_SYMLINK_NOFOLLOW)
    }
}

/// In place of nanoseconds: leave this time as it is. The header's macro is not visible to Swift everywhere.
#if canImport(Darwin)
private let omitted = -2
#else
private let omitted = (1 << 30) - 2
#endif
