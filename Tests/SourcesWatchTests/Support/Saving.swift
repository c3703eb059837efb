import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A way in which programs save a file.
enum Saving: String, CaseIterable, Sendable {
    case truncateAndWrite = "truncate and write"
    case writeInSteps = "write in steps"
    case renameOver = "rename over"
    case sed = "sed -i"
    case deleteAndCreate = "delete and create"
    case linkSwap = "..data swap"
    case memoryMap = "mmap"
    case sameTime = "same size and time"
    case otherName = "through a hard link"
    case folderSwap = "another folder"

    /// The text of a number, always of the same length.
    static func text(_ number: Int) -> String {
        "{\"number\":\(100 + number),\"filling\":\"\(String(repeating: "\(number % 10)", count: 3_000))\"}\n"
    }

    /// Where the file is that is watched.
    func path(in folder: TemporaryFolder) -> String {
        self == .linkSwap || self == .folderSwap ? folder.path + "/conf/team.json" : folder.path + "/team.json"
    }

    /// Saves number 0 as the beginning.
    func begin(in folder: TemporaryFolder) throws {
        switch self {
        case .linkSwap:
            try folder.put(Self.text(0), into: "conf/..0/team.json")
            try link("conf/..data", to: "..0", in: folder)
            try link("conf/team.json", to: "..data/team.json", in: folder)
        case .folderSwap: try folder.put(Self.text(0), into: "conf/team.json")
        case .otherName:
            try folder.put(Self.text(0), into: "team.json")
            try folder.put("", into: "elsewhere/empty")
            try FileManager.default.linkItem(atPath: folder.path + "/team.json", toPath: folder.path + "/elsewhere/other.json")
        default: try folder.put(Self.text(0), into: "team.json")
        }
    }

    /// Saves `number`, which comes after the number before it.
    func save(_ number: Int, in folder: TemporaryFolder) throws {
        let path = path(in: folder)
        let text = Self.text(number)
        switch self {
        case .truncateAndWrite: try overwrite(path, O_TRUNC, [text[...]])
        case .writeInSteps:
            let middle = text.index(text.startIndex, offsetBy: 1_000)
            try overwrite(path, O_TRUNC, [text[..<middle], text[middle...]])
        case .otherName: try overwrite(folder.path + "/elsewhere/other.json", 0, [text[...]])
        case .renameOver:
            try folder.put(text, into: ".team.json.new")
            try rename(folder.path + "/.team.json.new", to: path)
        case .sed:
            let command = "s/.*/\(text.dropLast())/"
            _ = try ChildProcess.run(["sed", "-i.bak", command, path])
        case .deleteAndCreate:
            try FileManager.default.removeItem(atPath: path)
            try folder.put(text, into: "team.json")
        case .linkSwap:
            try folder.put(text, into: "conf/..\(number)/team.json")
            try link("conf/..data_new", to: "..\(number)", in: folder)
            try rename(folder.path + "/conf/..data_new", to: folder.path + "/conf/..data")
            try FileManager.default.removeItem(atPath: folder.path + "/conf/..\(number - 1)")
        case .memoryMap: try writeThroughMap(text, path)
        case .sameTime:
            try overwrite(path, 0, [text[...]])
            try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: path)
        case .folderSwap:
            try folder.put(text, into: "next/team.json")
            try rename(folder.path + "/conf", to: folder.path + "/before\(number)")
            try rename(folder.path + "/next", to: folder.path + "/conf")
        }
    }

    private func overwrite(_ path: String, _ flags: Int32, _ parts: [Substring]) throws {
        let file = open(path, O_WRONLY | flags)
        guard file >= 0 else { throw CocoaError(.fileNoSuchFile) }
        defer { close(file) }
        for part in parts {
            let bytes = Array(part.utf8)
            guard write(file, bytes, bytes.count) == bytes.count else { throw CocoaError(.fileWriteUnknown) }
        }
    }

    private func writeThroughMap(_ text: String, _ path: String) throws {
        let bytes = Array(text.utf8)
        let file = open(path, O_RDWR)
        guard file >= 0, let map = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), map != MAP_FAILED else {
            throw CocoaError(.fileWriteUnknown)
        }
        map.copyMemory(from: bytes, byteCount: bytes.count)
        msync(map, bytes.count, MS_SYNC)
        munmap(map, bytes.count)
        close(file)
    }

    private func link(_ name: String, to target: String, in folder: TemporaryFolder) throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/" + name, withDestinationPath: target)
    }

    private func rename(_ path: String, to other: String) throws {
        #if canImport(Darwin)
        let result = Darwin.rename(path, other)
        #elseif canImport(Musl)
        let result = Musl.rename(path, other)
        #else
        let result = Glibc.rename(path, other)
        #endif
        guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
