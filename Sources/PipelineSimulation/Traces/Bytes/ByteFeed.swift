#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The bytes of a trace, a line or a record at a time.
struct ByteFeed {
    private let source: any ByteSource
    private var buffer: [UInt8] = []
    private var start = 0
    /// The beginning of the line or record that was read last.
    private(set) var offset = 0
    /// The number of bytes that were read.
    private var end = 0
    /// The number of the line or record that was read last, from 1.
    private(set) var number = 0

    /// Indicates whether the line that was read last has no end.
    private(set) var isCutShort = false

    /// The most bytes of a line.
    static let longestLine = 1 << 20

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(_ source: any ByteSource) {
        self.source = source
    }

    /// The bytes of a file, expanded where they are compressed.
    static func opening(_ source: any ByteSource, path: String, limit: ExpandedBytes.Limit = .init()) throws(TraceError) -> ByteFeed {
        let named = Compression(nameOf: path)
        var feed = ByteFeed(source)
        let beginning = try feed.peek(6)
        guard let compression = Compression(magicOf: beginning) else {
            if let named, !beginning.isEmpty {
                throw TraceError("`\(path)` is not \(named.rawValue) data, although it is named so")
            }
            return feed
        }
        return ByteFeed(try ExpandedBytes(RestOfBytes(feed.buffer, source), compression, limit: limit))
    }

    /// The next bytes, at most `count`, which stay.
    mutating func peek(_ count: Int) throws(TraceError) -> [UInt8] {
        while buffer.count - start < count { guard try fill() else { break } }
        return Array(buffer[start...].prefix(count))
    }

    /// The next line without its end, the first one without a byte order mark; nil at the end of the bytes. A last line needs no end.
    mutating func line() throws(TraceError) -> ArraySlice<UInt8>? {
        var searched = 0
        while true {
            let newline = newline(from: start + searched)
            searched = (newline ?? buffer.count) - start
            guard searched <= Self.longestLine else {
                throw TraceError("line \(number + 1) at byte \(end) has more than \(Self.longestLine) bytes")
            }
            if newline == nil, try fill() { continue }
            guard newline != nil || searched > 0 else { return nil }
            isCutShort = newline == nil
            let line = taken(upTo: newline ?? buffer.count, and: newline == nil ? 0 : 1)
            return number == 1 && line.starts(with: Self.byteOrderMark) ? line.dropFirst(Self.byteOrderMark.count) : line
        }
    }

    /// The next `size` bytes; nil at the end of the bytes.
    mutating func record(of size: Int) throws(TraceError) -> ArraySlice<UInt8>? {
        while buffer.count - start < size {
            if try fill() { continue }
            guard start < buffer.count else { return nil }
            throw TraceError(
                "the trace is cut short: record \(number + 1) at byte \(end) has \(buffer.count - start) of \(size) bytes",
                help: number == 0 ? nil : "`--limit \(number)` reads what is whole")
        }
        return taken(upTo: start + size, and: 0)
    }

    private mutating func taken(upTo limit: Int, and ending: Int) -> ArraySlice<UInt8> {
        var bytes = buffer[start..<limit]
        offset = end
        end += limit - start + ending
        start = limit + ending
        number += 1
        if ending > 0, bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        return bytes
    }

    private func newline(from index: Int) -> Int? {
        buffer.withUnsafeBytes { bytes in
            guard index < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + index, 10, bytes.count - index)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Gets more bytes behind those that are not read yet. A line that was handed out keeps the bytes that it is in.
    private mutating func fill() throws(TraceError) -> Bool {
        let more = try source.next()
        if more.isEmpty { return false }
        buffer = start == buffer.count ? more : Array(buffer[start...]) + more
        start = 0
        return true
    }
}

/// Bytes that were looked at, and those behind them.
private final class RestOfBytes: ByteSource {
    private var first: [UInt8]?
    private let source: any ByteSource

    init(_ first: [UInt8], _ source: any ByteSource) {
        self.first = first
        self.source = source
    }

    func next() throws(TraceError) -> [UInt8] {
        if let bytes = first.take(), !bytes.isEmpty { return bytes }
        return try source.next()
    }
}

/// A source of the bytes of a trace, a chunk at a time.
protocol ByteSource: AnyObject {
    /// The next bytes; empty at the end, also when it is asked again.
    func next() throws(TraceError) -> [UInt8]
}

/// Bytes that are there already.
final class ArrayBytes: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let size: Int

    /// - Parameter size: of a chunk.
    init(_ bytes: [UInt8], chunks size: Int = 1 << 18) {
        rest = bytes[...]
        self.size = size
    }

    func next() -> [UInt8] {
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
    }
}

/// The bytes of a file, or of standard input.
final class FileBytes: ByteSource {
    private let path: String
    private let descriptor: Int32
    private static let size = 1 << 18

    /// Opens the file at `path`; `-` is standard input.
    init(path: String) throws(TraceError) {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(path) }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    func next() throws(TraceError) -> [UInt8] {
        var result = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.size) { buffer, count in
            repeat { result = read(descriptor, buffer.baseAddress, Self.size) } while result < 0 && errno == EINTR
            count = max(0, result)
        }
        guard result >= 0 else { throw Self.failure(path) }
        return bytes
    }

    private static func failure(_ path: String) -> TraceError {
        TraceError("cannot read the trace `\(path)`: \(String(cString: strerror(errno)).lowercased())")
    }
}
