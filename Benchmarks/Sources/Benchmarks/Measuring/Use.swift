/// Keeps the optimiser from leaving out the work whose result is not looked at.
@inline(never)
func use<Value>(_ value: Value) {}
