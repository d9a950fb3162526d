extension Optional {
    /// The value of an optional that the text of the test guarantees to be set.
    public var known: Wrapped {
        guard let self else { preconditionFailure("a constant of the test is missing") }
        return self
    }
}
