/// The names of the origins of a store's entries, a byte for each entry: there are few names.
struct OriginNames {
    /// Says that the name is among the others.
    private static let other = UInt8.max

    /// The number of each slot's name, from 1 on; 0 for none.
    private var numbers: ContiguousArray<UInt8> = []
    private var names: ContiguousArray<String> = []
    /// What has no number any more: entries that another program wrote may name anything.
    private var others: [Int32: String] = [:]

    /// The name of the slot's origin.
    @inline(__always)
    subscript(slot: Int32) -> String? {
        let number = numbers[Int(slot)]
        return number == 0 ? nil : number == Self.other ? others[slot] : names[Int(number) - 1]
    }

    /// Notes the name of a slot that is there, or of the next one.
    mutating func set(_ name: String?, of slot: Int32) {
        if Int(slot) == numbers.count {
            numbers.reserveSlot()
            numbers.append(0)
        }
        if numbers[Int(slot)] == Self.other { others[slot] = nil }
        let number = if let name { number(of: name) } else { UInt8(0) }
        numbers[Int(slot)] = number
        if number == Self.other { others[slot] = name }
    }

    private mutating func number(of name: String) -> UInt8 {
        if let index = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return UInt8(index + 1) }
        guard names.count + 1 < Self.other else { return Self.other }
        names.append(name)
        return UInt8(names.count)
    }
}
