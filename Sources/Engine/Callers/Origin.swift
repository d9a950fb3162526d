/// The origin of calls, as far as the door can prove it.
public enum Origin: Hashable, Sendable {
    /// A user of this machine, by the user's number from the kernel.
    case user(UInt32)
    /// This process itself.
    case process
    /// A network address, represented by a number below −1.
    ///
    /// - Parameters:
    ///   - host: The number of the single address, if the first number stands for several; below −1, too.
    ///   - network: The number of the network that the address is in, which others share; below −1, too.
    case address(Int64, host: Int64? = nil, network: Int64? = nil)

    /// The key under which calls are counted: the user's number, −1 for this process, or the number of the address.
    public var key: Int64 {
        switch self {
        case .user(let number): Int64(number)
        case .process: -1
        case .address(let number, _, _): number
        }
    }

    /// The key of the single caller, as far as the door can tell callers apart: that of a user of this machine, or of
    /// one network address.
    public var host: Int64 {
        if case .address(_, let host?, _) = self { host } else { key }
    }

    /// The key of the network that the caller is in, which strangers may share; ``key`` if there is none.
    public var network: Int64 {
        if case .address(_, _, let network?) = self { network } else { key }
    }

    /// Whether one address may stand for many devices, as that of a proxy server on this machine does.
    public var isShared: Bool { isAddress && host == network }

    /// Whether the calls come through a network.
    public var isAddress: Bool { if case .address = self { true } else { false } }

    /// The number of the calling user of this machine; `nil` for any other origin.
    public var user: UInt32? {
        guard case .user(let number) = self else { return nil }
        return number
    }
}
