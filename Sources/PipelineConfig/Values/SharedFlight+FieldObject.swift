public import Pipeline

extension SharedFlight: FieldObject {
    /// `a shared flight`
    public static var noun: String { "a shared flight" }

    /// `lease`.
    public static let fields = FieldGroup(
        Field(
            "lease", default: Duration.seconds(5), range: Duration.milliseconds(1)...,
            "How long after the loading process has died another process takes over. A running process renews its lease, however long "
                + "the load takes. Use the same value in all processes.")
    ) { lease in
        SharedFlight(lease: lease)
    }
}
