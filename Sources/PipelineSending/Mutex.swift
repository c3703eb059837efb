#if TRACED_MUTEX
internal import Pipeline

/// Shadows the `Mutex` of `Synchronization` in this module.
typealias Mutex = TracedMutex
#endif
