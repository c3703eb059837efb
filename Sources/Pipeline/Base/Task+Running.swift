extension Task where Failure == Never {
    /// A task that begins on the caller's thread and leaves it at the first wait, where the system can do that.
    package static func beginning(elsewhere: Bool = false, _ operation: @escaping @concurrent @Sendable () async -> Success) -> Task {
        if elsewhere {
            Task(operation: operation)
        } else if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate(operation: operation)
        } else {
            Task(operation: operation)
        }
    }
}

extension Result where Failure == any Error {
    /// Makes the result of `body`: what it returned or threw.
    package init(of body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

extension Task where Success == Void, Failure == Never {
    /// Cancels the task and waits until it has ended.
    package func end() async {
        cancel()
        await value
    }
}
