/// A place for the copies of a cache, in place of the one that its fields name.
package struct CachePlace: Sendable {
    /// The name of the file in ``folder`` where a cache keeps all copies in one.
    package static let file = "copies"

    /// The folder of its files, which nothing else writes to.
    let folder: String
    /// What stands before the key of each copy where many share one server.
    let prefix: String

    package init(folder: String, prefix: String) {
        (self.folder, self.prefix) = (folder, prefix)
    }
}

extension Field {
    /// `value` for a cache at another place; nil where the field does not say where copies are, or says it in a way that cannot change.
    func moved(_ value: Value, to place: CachePlace) -> Value? {
        switch declaration.role {
        case .place, .placeOfEachKey: value.moved(into: place.folder)
        case .keyPrefix: (value as? String).flatMap { place.prefix + $0 as? Value }
        default: nil
        }
    }
}
