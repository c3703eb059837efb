/// Bytes as the event stream of a server.
enum EventBytes {
    /// The most bytes of an event.
    private static let limit = 64

    /// The first byte says where the stream is cut: the parts give what the whole gives, and no event is too long.
    static func check(_ bytes: [UInt8]) {
        let stream = bytes.dropFirst()
        let cut = stream.startIndex + Int(bytes.first ?? 0) % (stream.count + 1)
        let whole = read([stream])
        require(whole == read([stream[..<cut], stream[cut...]]), "cut before \(cut), the stream gives something else")
        require(whole == read(stream.map { [$0] }), "byte by byte, the stream gives something else")
        for case .event(let data, _)? in whole {
            // A byte that is not UTF-8 becomes the three of U+FFFD.
            require(data.count <= 3 * limit, "an event of \(data.count) bytes")
        }
    }

    /// The items; the last one is nil where the reading ended.
    private static func read(_ parts: [ArraySlice<UInt8>]) -> [EventStreamReader.Item?] {
        var reader = EventStreamReader(limit: limit)
        var items: [EventStreamReader.Item?] = []
        do {
            for part in parts { try reader.read(part) { items.append($0) } }
        } catch {
            items.append(nil)
        }
        return items
    }
}
