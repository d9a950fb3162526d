#if Companion
import Crypto
import Foundation
import RPC

/// A PNG of 16 by 16 pixels, with red growing to the east and green growing to the south.
enum TestPicture {
    static let png: [UInt8] = {
        let text = """
            iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlklEQVR42hXRURVEIQhFUSMYgQhGMAIRiGCEE8EIRiACEYhA\
            BCLMG7/ZrMt1jMEcyGAN9kAHNjgDBnfwBj6IQQ5q0IMxJnMikzXZE53Y5EyY3Mmb+CQmOalJzw8IUxBhCVtQwYQjIFzhCS6E\
            kEIJLR9YzIUs1mIvdGGLs2BxF2/hi1jkoha9PrCZG9mszd7oxjZnw+Zu3sY3sclNbXp/QJmKKEvZiiqmHAXlKk9xJZRUSmn9\
            gDENMZaxDTXMOAbGNZ7hRhhplNH2gcM8yGEd9kEPdjgHDvfwDn6IQx7q0OcD/wK/Sr4jv9hfkG/1N/x/Fx44BCQU9Pc94zIv\
            clmXfdGLXc79j9/Lu/glLnmpS98PPOZDHuuxH/qwx3n/5ffxHv6IRz7q0e8DznTEWc521DHn+D/KdZ7jTjjplNP+gWAGEqxg\
            BxpYcOIf/AYv8CCCDCro+EAyE0lWshNNLDn5P/MmL/Ekkkwq6fxAMQspVrELLaw49S/lFq/wIoosquj6QDMbaVazG22sOf2v\
            8Dav8SaabKrp5geIAnAQC3NfwAAAAABJRU5ErkJggg==
            """
        return Array(Data(base64Encoded: text) ?? Data())
    }()
}

extension Traveller {
    /// Uploads bytes as a photo of a subject.
    ///
    /// - Returns: The photo's id.
    @discardableResult
    func send(_ bytes: [UInt8], to subject: String, caption: String? = nil) throws -> String {
        let digest = SHA256.hash(data: Data(bytes)).map { String(UInt16($0) + 0x100, radix: 16).suffix(2) }.joined()
        let begun = try call(
            "uploads.begin", ["size": .integer(Int64(bytes.count)), "sha256": .string(digest)])
        let upload = begun["upload"] ?? .null
        try call(
            "uploads.append",
            ["upload": upload, "offset": 0, "data": .string(Data(bytes).base64EncodedString())])
        try call("uploads.finish", ["upload": upload])
        var photo: JSONObject = ["subject": .string(subject), "upload": upload]
        photo["caption"] = caption.map { .string($0) }
        return try call("photos.add", photo)["id"]?.text ?? ""
    }

    /// Returns the bytes of a photo.
    func fetch(_ photo: String, size: String = "whole") throws -> [UInt8] {
        var bytes: [UInt8] = []
        var offset: JSONValue? = 0
        while let at = offset {
            let piece = try call("photos.read", ["photo": .string(photo), "size": .string(size), "offset": at])
            bytes += Data(base64Encoded: piece["data"]?.text ?? "") ?? Data()
            offset = piece["next"]
        }
        return bytes
    }
}
#endif
