import Testing

@testable import Pipeline

@Suite struct CacheControlTests {
    @Test func `what is kept is read back`() {
        var control = CacheControl(
            field:
                "max-age=60, s-maxage=30, stale-while-revalidate=4, stale-if-error=\"5\", no-store, NO-CACHE, must-revalidate, proxy-revalidate, immutable, private, public, must-understand"
        )
        control.expires = 7

        #expect(control.flags.rawValue == 255)
        #expect(control.text.hasPrefix("max-age=60, s-maxage=30, expires=7, stale-while-revalidate=4, stale-if-error=5, no-store"))
        #expect(CacheControl(text: control.text) == control)
        #expect(CacheControl(text: "") == CacheControl())
    }

    @Test func `a directive of another version does no harm`() {
        #expect(CacheControl(text: "max-age=60, stale-forever, x=\"a, b\", must-revalidate").text == "max-age=60, must-revalidate")
    }

    @Test func `a server cannot say expires as a directive`() {
        #expect(CacheControl(field: "expires=60, max-age=5").text == "max-age=5")
    }

    @Test func `an entry takes no more room for it`() {
        #expect(MemoryLayout<Entry>.size == 56)
    }

    @Test func `what the origin says tells entries apart`() {
        let plain = Entry([1], created: .distantPast)
        for other in [
            Entry([1], created: .distantPast, cacheControl: CacheControl()), Entry([1], created: .distantPast, variant: "a 1"),
            Entry([1], created: .distantPast, notKept: "no-store"),
        ] {
            #expect(plain != other)
            #expect(other == other.attributed(to: "api").holdingNoSource)
        }
    }
}

extension Entry {
    /// The same entry, without the name of an origin.
    fileprivate var holdingNoSource: Entry {
        Entry(payload ?? [], created: created, cacheControl: cacheControl, variant: variant, notKept: notKept)
    }
}
