import Foundation
import Pipeline

/// Foundation's cache, for comparison.
final class ObjectCache {
    final class Box {
        let entry: Entry

        init(_ entry: Entry) {
            self.entry = entry
        }
    }

    private let cache = NSCache<NSString, Box>()

    subscript(key: NSString) -> Entry? {
        get { cache.object(forKey: key)?.entry }
        set { if let newValue { cache.setObject(Box(newValue), forKey: key) } }
    }
}
