internal import GRDB

extension Row {
    /// The value of `column`; nil for none, and for one of another type: GRDB's own subscript would end the process there.
    func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        let value: DatabaseValue = self[column]
        return Value.fromDatabaseValue(value)
    }
}
