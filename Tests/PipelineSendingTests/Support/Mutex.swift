#if TRACED_MUTEX
internal import Pipeline

/// Stands before the one of `Synchronization` in this module.
typealias Mutex = TracedMutex
#endif
