internal import ArgumentParser
internal import UnixSignals

/// Ends work at SIGINT, SIGTERM and SIGHUP in good order: the work is cancelled, what comes after it still runs.
enum Interruption {
    enum Ending {
        /// The work ended by itself, with an exit code unless all went well.
        case finished(ExitCode?)
        /// A signal ended it.
        case interrupted(ExitCode)
    }

    /// Runs `work` until it ends or a signal comes; then the work is cancelled, and this returns when it has ended.
    static func watching(_ work: @escaping @Sendable () async throws -> ExitCode?) async -> Ending {
        // Before the work begins: a signal that no task waits for would end the process at once.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        return await withTaskGroup(of: Ending?.self) { group in
            group.addTask {
                do {
                    return .finished(try await work())
                } catch {
                    return Task.isCancelled ? nil : .finished(error as? ExitCode ?? failed(error))
                }
            }
            group.addTask {
                for await signal in signals {
                    // As shells count signals.
                    return .interrupted(ExitCode(128 + signal.rawValue))
                }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? .finished(nil)
        }
    }

    private static func failed(_ error: any Error) -> ExitCode {
        Console.say("\(error)")
        return ExitStatus.no
    }
}
