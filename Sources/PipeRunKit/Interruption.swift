#if canImport(Darwin)
private import Darwin
#elseif canImport(Musl)
private import Musl
#else
private import Glibc
#endif
internal import ArgumentParser
internal import Pipeline
internal import UnixSignals

/// Ends work at SIGINT, SIGTERM and SIGHUP in good order: the work is cancelled, what comes after it still runs.
enum Interruption {
    enum Ending {
        /// The work ended by itself, with an exit code unless all went well.
        case finished(ExitCode?)
        /// A signal ended it.
        case interrupted(ExitCode)
    }

    /// Runs `work` until it ends or a signal comes; then the work is cancelled, and this returns when it has ended. Further signals change
    /// nothing: what comes after the work is bounded.
    ///
    /// - Parameter signals: those that are trapped already; nil for none.
    static func watching(
        _ signals: UnixSignalsSequence? = nil, _ work: @escaping @Sendable () async throws -> ExitCode?
    ) async -> Ending {
        let signals = if let signals { signals } else { await Self.signals() }
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

    /// The signals that end the process in good order. SIGHUP stays ignored where the caller ignores it, as `nohup` does.
    ///
    /// Trap them before the work begins: a signal that nothing waits for ends the process at once. Once they are trapped, no signal ends a call that blocks.
    static func signals() async -> UnixSignalsSequence {
        await UnixSignalsSequence(trapping: isHangUpIgnored ? [.sigint, .sigterm] : [.sigint, .sigterm, .sighup])
    }

    /// Has SIGUSR1 and SIGUSR2 do nothing, which would end the process: scripts send them to servers of all kinds, to have them open their logs
    /// anew. Programs that the process starts get the system's own way again, as they would not with signals that are ignored.
    static func outliveUserSignals() {
        for number in [SIGUSR1, SIGUSR2] { signal(number) { _ in } }
    }

    /// Indicates whether a command that runs until it is ended ends well with this signal's code: a person or a supervisor asked for the
    /// end.
    static func isAsked(_ status: ExitCode) -> Bool {
        [SIGINT, SIGTERM].contains(status.rawValue - 128)
    }

    private static var isHangUpIgnored: Bool {
        // All systems have this way to ask. A signal between the two calls is ignored; the process has only just begun.
        let before = signal(SIGHUP, SIG_IGN)
        let isIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if !isIgnored { signal(SIGHUP, before) }
        return isIgnored
    }

    private static func failed(_ error: any Error) -> ExitCode {
        Console.say(error, masking: Redactor())
        return ExitStatus.no
    }
}
