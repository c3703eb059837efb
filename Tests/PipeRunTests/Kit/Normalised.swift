/// An envelope with its times replaced, so that the rest can be compared as text.
func normalised(_ envelope: String) -> String {
    envelope.replacing(/"ms":[0-9.]+(e-?[0-9]+)?/, with: "\"ms\":0")
        .replacing(/"age_ms":[0-9]+/, with: "\"age_ms\":0")
        .replacing(/"fresh_for_ms":[0-9]+/, with: "\"fresh_for_ms\":0")
        .replacing("\n", with: "")
}
