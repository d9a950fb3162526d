import Glibc
import RPC

extension Connection {
    /// A caller within this process, who may call every method and subscribes to nothing.
    public static func local() -> Connection {
        let peer = PeerCredentials(process: getpid(), user: geteuid(), groups: [getegid()])
        return Connection(number: 0, peer: peer, rights: Set(AccessRight.allCases))
    }

    /// A caller within this process who may do what a person may, and nothing for the machine's sake.
    public static func acting(as person: String) -> Connection {
        let peer = PeerCredentials(process: getpid(), user: geteuid(), groups: [getegid()])
        let connection = Connection(number: 0, peer: peer, rights: [.read])
        connection.identity = Identity(person: person)
        return connection
    }
}
