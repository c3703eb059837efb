/// What a change did to a value.
package enum MergeEffect: Sendable, Hashable {
    /// The value is another one.
    case changed
    /// A duplicate, an older version, the same bytes, or a delete of what is not there.
    case unchanged
    /// There is no value yet. It waits for the load that runs.
    case kept
    /// There is no value, and no load runs.
    case dropped
    /// The list must be loaded again: the change is for an id that the list lacks.
    case refresh
    /// More changes came under a load than are kept, and all of them are dropped, or more was removed than is kept of it. The list must be loaded
    /// again.
    case overflowed
    /// Nobody could read the value with it, for this reason. It is skipped, and the list must be loaded again.
    case faulty(String)
    /// The value has no list, for this reason.
    case failed(String)
}
