import Foundation

/// Programs of the machine, where they are installed.
enum Tool {
    static let python = path("python3")
    static let groff = path("groff")

    static func path(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether a command can be run, and succeeds.
    static func succeeds(_ command: [String]) async throws -> Bool {
        try await blocking {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
            (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
    }

    /// What a program prints.
    static func output(
        of program: String?, _ arguments: [String], in folder: URL, environment: [String: String] = [:], failsOnErrors: Bool = false
    ) async throws -> String {
        try await blocking {
            let process = Process()
            process.executableURL = program.map { URL(filePath: $0) }
            process.arguments = arguments
            process.currentDirectoryURL = folder
            process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            guard process.terminationStatus == 0, !failsOnErrors || said.isEmpty else {
                throw TooLong(description: "\(arguments): \(said)")
            }
            return text
        }
    }
}
