extension WriteLane {
    /// What is said to other processes when a change has ended.
    struct Telling: Sendable {
        /// Is given what is to be said when it failed.
        typealias Completion = @Sendable (WriteRecord?) -> Void

        /// Says it; gives what is to be said when that fails.
        let tell: @Sendable () async -> WriteRecord?
        /// Those who wait for it.
        private(set) var completions: [Completion]

        init(_ tell: @escaping @Sendable () async -> WriteRecord?, completion: @escaping Completion) {
            self.tell = tell
            completions = [completion]
        }

        /// Says it once for those who wait for `other`, too.
        mutating func join(_ other: Telling) {
            completions += other.completions
        }

        /// Gives those who wait for it, who do not any more.
        mutating func takeCompletions() -> [Completion] {
            defer { completions = [] }
            return completions
        }
    }
}
