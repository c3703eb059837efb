/// That a field's value cannot be known; what is wrong has been reported.
struct UnknownValue: Error {}
