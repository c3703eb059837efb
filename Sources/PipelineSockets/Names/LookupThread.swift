#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif

/// A thread that looks up one name.
final class LookupThread {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// Starts a thread that ends with `body`. False where the system has none.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(LookupThread(body))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let failure = pthread_create(
            &thread, nil,
            { argument in
                pthread_detach(pthread_self())
                #if canImport(Darwin)
                Unmanaged<LookupThread>.fromOpaque(argument).takeRetainedValue().body()
                #else
                if let argument { Unmanaged<LookupThread>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument.toOpaque())
        if failure != 0 { argument.release() }
        return failure == 0
    }
}
