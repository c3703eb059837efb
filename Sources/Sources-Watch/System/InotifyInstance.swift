#if !canImport(Darwin)
#if canImport(Musl)
private import Musl
#else
private import Glibc
#endif
@preconcurrency internal import Dispatch

/// A report of inotify about one watch.
struct InotifyReport {
    enum Kind {
        case happened
        /// The watch ended by itself: what it watched is gone.
        case removed
        /// Reports were lost.
        case overflow
    }

    let watch: Int32
    let kind: Kind
    /// The name in the folder; nil if the folder or file itself is meant.
    let name: String?
}

/// An open inotify instance (inotify(7)). Its descriptor is closed when it has ended and nothing uses it.
final class InotifyInstance: Sendable {
    private static let folderEvents =
        IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    private static let fileEvents = IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW

    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// An open instance; nil if the system gives none, such as when the user has too many.
    ///
    /// - Parameter receive: called with what was reported, until ``end()``.
    static func open(_ receive: @escaping @Sendable (InotifyInstance, [InotifyReport]) -> Void) -> InotifyInstance? {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        return descriptor < 0 ? nil : InotifyInstance(descriptor, receive)
    }

    private init(_ descriptor: Int32, _ receive: @escaping @Sendable (InotifyInstance, [InotifyReport]) -> Void) {
        self.descriptor = descriptor
        // Takes a thread only while there is something to read.
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchQueue(label: "pipe-run.inotify"))
        source.setEventHandler { [weak self] in
            guard let self else { return }
            let reports = takeReports()
            if !reports.isEmpty { receive(self, reports) }
        }
        // Holds the descriptor open until the source no longer uses it.
        source.setCancelHandler { withExtendedLifetime(self) {} }
        source.activate()
    }

    deinit {
        close(descriptor)
    }

    /// The watch of `place`; nil if there can be none.
    func add(_ place: WatchedPlace) -> Int32? {
        let events: Int32
        switch place {
        case .entry: events = Self.folderEvents
        case .file: events = Self.fileEvents
        }
        let watch = inotify_add_watch(descriptor, place.path, UInt32(bitPattern: events))
        return watch >= 0 ? watch : nil
    }

    /// Ends a watch.
    func remove(_ watch: Int32) {
        _ = inotify_rm_watch(descriptor, watch)
    }

    /// Ends the reports.
    func end() { source.cancel() }

    private func takeReports() -> [InotifyReport] {
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            guard let start = buffer.baseAddress else { return [] }
            let count = read(descriptor, start, buffer.count)
            guard count > 0 else { return [] }
            return Self.reports(in: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static func reports(in bytes: UnsafeRawBufferPointer) -> [InotifyReport] {
        let header = MemoryLayout<inotify_event>.size
        var reports: [InotifyReport] = []
        var start = 0
        while start + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
            let end = min(bytes.count, start + header + Int(event.len))
            let name = bytes[(start + header)..<end].prefix { $0 != 0 }
            reports.append(
                InotifyReport(watch: event.wd, kind: .init(event.mask), name: name.isEmpty ? nil : String(decoding: name, as: UTF8.self)))
            start = end
        }
        return reports
    }
}

extension InotifyReport.Kind {
    fileprivate init(_ mask: UInt32) {
        if mask & UInt32(bitPattern: IN_Q_OVERFLOW) != 0 {
            self = .overflow
        } else {
            self = mask & UInt32(bitPattern: IN_IGNORED) != 0 ? .removed : .happened
        }
    }
}
#endif
