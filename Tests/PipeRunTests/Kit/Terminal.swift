import Foundation

/// A pseudo terminal: what is written to `inner` comes out of `outer`.
struct Terminal {
    let outer: Int32
    let inner: FileHandle

    init() throws {
        #if canImport(Glibc)
        // Of the calls that C has for this, Glibc's module shows none: these are what they consist of.
        let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))
        var (lock, number) = (Int32(0), Int32(0))
        outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard outer >= 0, ioctl(outer, setLock, &lock) == 0, ioctl(outer, getNumber, &number) == 0 else { throw Self.failure() }
        let name = "/dev/pts/\(number)"
        #else
        outer = posix_openpt(O_RDWR | O_NOCTTY)
        guard outer >= 0, grantpt(outer) == 0, unlockpt(outer) == 0, let chars = ptsname(outer) else { throw Self.failure() }
        let name = String(cString: chars)
        #endif
        inner = FileHandle(fileDescriptor: open(name, O_RDWR | O_NOCTTY | O_CLOEXEC), closeOnDealloc: true)
    }

    private static func failure() -> POSIXError {
        POSIXError(POSIXError.Code(rawValue: errno) ?? .EIO)
    }
}
