/// Random numbers that nobody can foresee, so that secrets can be made of them.
public enum Random {
    /// 64 random bits, of the kernel or of the simulation that the thread belongs to.
    public static func word() -> UInt64 {
        if let simulation { return simulation.randomWord() }
        var system = SystemRandomNumberGenerator()
        return system.next()
    }
}
