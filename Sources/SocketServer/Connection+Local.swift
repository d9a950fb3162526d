import Glibc
import RPC

extension Connection {
    /// A caller within this process, who may call every method and subscribes to nothing.
    public static func local() -> Connection {
        let peer = PeerCredentials(process: getpid(), user: geteuid(), groups: [getegid()])
        return Connection(number: 0, peer: peer, rights: Set(AccessRight.allCases))
    }
}
