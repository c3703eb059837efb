/// The copies that a cache holds of one pipeline, as ``WritableSource/contents(of:limit:)`` lists them.
public struct CacheContents: Sendable {
    /// One copy, without its payload.
    public struct Copy: Sendable {
        /// The key it is stored under, or nil if the cache can no longer tell, as for a file that was edited by hand.
        package let key: Key?
        /// The place where it lies, such as the path of its file; nil if the key says all.
        package let place: String?
        /// The facts known of the value, as an entry. The payload is left empty, and is nil for a remembered `not_found`.
        package let entry: Entry
        /// The size of the payload in bytes; 0 for a remembered `not_found`.
        package let size: Int

        /// A copy of `entry`, whose payload is left out.
        public init(key: Key?, place: String? = nil, entry: Entry, size: Int) {
            self.key = key
            self.place = place
            self.size = size
            var entry = entry
            if !entry.isNotFound { entry.payload = [] }
            self.entry = entry
        }

        /// The name it is listed and sorted under.
        package var name: String { key?.text ?? place ?? "" }
    }

    /// At most as many as were asked for.
    public let copies: [Copy]
    /// Indicates whether the cache holds more than these.
    public let hasMore: Bool
    /// The number of files among the copies that no cache wrote or read.
    public let foreign: Int

    /// The first `limit` of `copies`, sorted by name.
    ///
    /// - Parameter foreign: how many files have the name of a copy and are none, so that nothing removes them.
    public init(_ copies: [Copy], limit: Int, hasMore: Bool = false, foreign: Int = 0) {
        self.foreign = foreign
        self.copies = Array(copies.sorted { $0.name < $1.name }.prefix(limit))
        self.hasMore = hasMore || copies.count > limit
    }
}
