public import Pipeline

extension SharedFlight: FieldObject {
    /// `a shared flight`
    public static var noun: String { "a shared flight" }

    /// `lease`.
    public static let fields = FieldGroup(
        Field(
            "lease", default: Duration.seconds(5), range: Duration.milliseconds(1)...,
            "How long after the process that loads has died another one loads. A process that lives renews its lease however long the load "
                + "takes. Give all processes the same.")
    ) { lease in
        SharedFlight(lease: lease)
    }
}
