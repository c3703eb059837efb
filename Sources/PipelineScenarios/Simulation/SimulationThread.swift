#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// The thread of a simulation.
final class SimulationThread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Starts a thread with a stack of 16 MiB that ends with `body`.
    static func start(_ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 16 << 20)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let argument = Unmanaged.passRetained(SimulationThread(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                #if canImport(Darwin)
                Unmanaged<SimulationThread>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument { Unmanaged<SimulationThread>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument)
        precondition(failure == 0, "a thread can be started")
        pthread_attr_destroy(&attributes)
    }
}
