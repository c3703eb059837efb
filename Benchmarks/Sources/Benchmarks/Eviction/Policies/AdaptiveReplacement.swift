/// ARC (Megiddo and Modha, FAST 2003), in the paper's names: T1 and T2 are kept, B1 and B2 are remembered.
struct AdaptiveReplacement: CachePolicy {
    private let capacity: Int
    private var t1 = KeyQueue()
    private var t2 = KeyQueue()
    private var b1 = KeyQueue()
    private var b2 = KeyQueue()
    private var target = 0.0

    init(capacity: Int) {
        self.capacity = capacity
    }

    mutating func request(_ key: Int) -> Bool {
        if t1.remove(key) || t2.contains(key) {
            t2.append(key)
            return true
        }
        if b1.contains(key) {
            target = min(Double(capacity), target + max(1, Double(b2.count) / Double(b1.count)))
            replace(isInB2: false)
            b1.remove(key)
            t2.append(key)
        } else if b2.contains(key) {
            target = max(0, target - max(1, Double(b1.count) / Double(b2.count)))
            replace(isInB2: true)
            b2.remove(key)
            t2.append(key)
        } else {
            makeRoom()
            t1.append(key)
        }
        return false
    }

    private mutating func makeRoom() {
        let recent = t1.count + b1.count
        let all = recent + t2.count + b2.count
        if recent == capacity {
            if t1.count == capacity {
                t1.popFirst()
            } else {
                b1.popFirst()
                replace(isInB2: false)
            }
        } else if all >= capacity {
            if all == 2 * capacity { b2.popFirst() }
            replace(isInB2: false)
        }
    }

    private mutating func replace(isInB2: Bool) {
        let isOver = t1.count > Int(target) || isInB2 && t1.count == Int(target)
        if !t1.isEmpty, isOver, let victim = t1.popFirst() {
            b1.append(victim)
        } else if let victim = t2.popFirst() {
            b2.append(victim)
        }
    }
}
