import Testing

@testable import SourcesFile

@Suite struct RecencyListTests {
    @Test func `the order is that of use`() {
        var list = RecencyList()
        for (index, path) in ["a", "b", "c"].enumerated() { list.use(path, size: index + 1) }
        list.use("a", size: 10)
        list.addOldest("z", size: 5)
        list.addOldest("b", size: 100)

        #expect(list.count == 4)
        #expect(list.bytes == 20)
        #expect(drained(&list) == ["z", "b", "c", "a"])
        #expect(list.bytes == 0)
    }

    @Test func `sizes whose sum is no number any more are kept apart all the same`() {
        var list = RecencyList()
        for path in ["a", "b", "c", "d", "e"] { list.use(path, size: .max) }
        list.use("f", size: 7)
        #expect(list.bytes == .max)

        for path in ["a", "b", "c", "d"] { list.remove(path) }
        #expect(list.bytes == .max)
        list.remove("e")

        #expect(list.bytes == 7)
    }

    @Test func `paths come and go at random as in a plain array`() {
        var generator = SystemRandomNumberGenerator()
        var list = RecencyList()
        var model: [(path: String, size: Int)] = []
        for _ in 0..<2_000 {
            let path = "\(Int.random(in: 0..<20, using: &generator))"
            let size = Int.random(in: 0..<9, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                list.remove(path)
                model.removeAll { $0.path == path }
            case 1:
                list.addOldest(path, size: size)
                if !model.contains(where: { $0.path == path }) { model.insert((path, size), at: 0) }
            default:
                list.use(path, size: size)
                model.removeAll { $0.path == path }
                model.append((path, size))
            }
            #expect(list.count == model.count && list.bytes == model.reduce(0) { $0 + $1.size } && list.first == model.first?.path)
        }
        #expect(drained(&list) == model.map(\.path))
    }

    private func drained(_ list: inout RecencyList) -> [String] {
        var paths: [String] = []
        while let path = list.first {
            paths.append(path)
            list.remove(path)
        }
        return paths
    }
}
