extension Optional {
    /// The value of something the test's own text makes sure of.
    public var known: Wrapped {
        guard let self else { preconditionFailure("a constant of the test is missing") }
        return self
    }
}
