private import CZlib
internal import NIOHTTP1
internal import Pipeline
private import Synchronization

/// The rule for whether an answer goes to a client compressed with gzip (RFC 9110, section 8.4).
enum ContentCoding {
    /// Below it, compressing saves nothing.
    private static let leastBytes = 1024

    /// Indicates whether a body of this type and size would be compressed for a client that accepts that.
    static func applies(to type: String, count: Int) -> Bool {
        let type = type.prefix { $0 != ";" }.lowercased()
        let isText = type.hasPrefix("text/") || ["json", "xml", "javascript", "yaml", "csv"].contains { type.hasSuffix($0) }
        return count > leastBytes && isText
    }

    /// Indicates whether a client accepts gzip, by its Accept-Encoding fields (RFC 9110, section 12.5.3).
    static func acceptsGzip(_ headers: HTTPHeaders) -> Bool {
        var accepted: Bool?
        var anything = false
        for member in headers[canonicalForm: "accept-encoding"] {
            let parts = member.split(separator: ";")
            let name = parts.first.map { String($0).trimmed.lowercased() } ?? ""
            let isWanted = !parts.dropFirst().contains { Self.isZero(String($0).trimmed.lowercased()) }
            switch name {
            case "gzip", "x-gzip": accepted = isWanted
            case "*": anything = isWanted
            default: break
            }
        }
        return accepted ?? anything
    }

    /// Indicates whether a parameter is a weight of zero: `q=0`, `q=0.000`.
    private static func isZero(_ parameter: String) -> Bool {
        parameter.hasPrefix("q=") && Double(parameter.dropFirst(2)).map { $0 <= 0 } ?? true
    }
}

extension String {
    /// The text without spaces and tabs around it.
    fileprivate var trimmed: Substring {
        let isBlank = { (byte: Character) in byte == " " || byte == "\t" }
        var text = drop(while: isBlank)
        while text.last.map(isBlank) ?? false { text.removeLast() }
        return text
    }
}

/// Compresses a body piece by piece, as gzip (RFC 1952).
final class GzipStream: Sendable {
    private let stream: Mutex<UnsafeMutablePointer<z_stream>>

    /// Begins a stream; nil if there is no memory for it.
    init?() {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 31: the largest window, with the header and the end of gzip.
        let size = Int32(MemoryLayout<z_stream>.size)
        let result = deflateInit2_(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, zlibVersion(), size)
        guard result == Z_OK else {
            stream.deallocate()
            return nil
        }
        self.stream = Mutex(stream)
    }

    deinit {
        stream.withLock { stream in
            deflateEnd(stream)
            stream.deallocate()
        }
    }

    /// Indicates whether compressing makes the beginning of `bytes` smaller; what is compressed already, or encrypted, only grows.
    static func shrinks(_ bytes: [UInt8]) -> Bool {
        let sample = bytes.prefix(16 << 10)
        return GzipStream().map { $0.compress(sample, isLast: true).count < sample.count } ?? false
    }

    /// The compressed bytes, as far as they are certain; with `isLast`, all that is left.
    func compress(_ bytes: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
        stream.withLock { stream in
            var input = Array(bytes)
            let room = Int(deflateBound(stream, UInt(input.count))) + 64
            return input.withUnsafeMutableBufferPointer { input in
                stream.pointee.next_in = input.baseAddress
                stream.pointee.avail_in = UInt32(input.count)
                var output: [UInt8] = []
                repeat {
                    output += [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                        stream.pointee.next_out = buffer.baseAddress
                        stream.pointee.avail_out = UInt32(room)
                        deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        count = room - Int(stream.pointee.avail_out)
                    }
                    // What it could not hand over for want of room comes with the next round.
                } while stream.pointee.avail_out == 0
                stream.pointee.next_in = nil
                stream.pointee.next_out = nil
                return output
            }
        }
    }
}
