public import Callers
import GRDB
public import RPC
public import Service
package import Store
import TextCoding
package import Time

/// The methods about photos.
public struct PhotoMethods: Sendable {
    package let store: LocationDatabase
    let editor: Editor
    let subjects: Subjects
    package let uploads: Uploads
    let files: PhotoFiles
    package let folder: StateFolder
    let tool: PictureTool
    let copies: PhotoCopies
    package let settings: MediaSettings
    package let now: @Sendable () -> Timestamp

    /// The maximum number of photos on one page of `photos.list`.
    static let largestPage = 1000
    /// The maximum number of bytes in one piece of `photos.read`.
    ///
    /// In Base64, it takes two thirds of a line.
    static let longestPiece = Upload.longestPiece

    /// Creates the methods for a daemon's service context and its media files.
    public init(_ context: ServiceContext, _ media: Media) {
        store = context.store
        editor = context.editor
        subjects = context.subjects
        uploads = media.uploads
        files = media.photos
        folder = media.photos.folder
        tool = media.pictureTool
        copies = media.photoCopies
        settings = media.settings
        now = context.now
    }

    /// All methods about photos.
    public var all: [Method<Principal>] { reading + changing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "photos.list",
                "Lists the photos of a subject in their order, or those that a person has added, newest first.",
                Parameter<String?>.optional("subject", Subjects.field.schema, "The subject of the photos, as KIND/ID."),
                Parameter<String?>.optional(
                    "person", .deviceName, "The username of the person who added the photos, in place of a subject."),
                .page(of: "photos.list", upTo: Self.largestPage, default: 100), answers: List.shape,
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "photos.get", "Returns the description of a photo.", Self.photo, answers: PhotoAnswer.shape,
                errors: [.notFound], right: .read,
                handler: get),
            .stored(
                "photos.read",
                """
                Returns a piece of a photo's bytes. The person who added it gets the uploaded file; others get a copy \
                without the camera's metadata, which is a JPEG for HEIC, unless keep_metadata is set.
                """,
                Self.photo,
                .optional(
                    "size", default: Size.whole,
                    "The photo, or a thumbnail of \(PictureTool.side) pixels square as JPEG; whole by default."),
                Parameter<Int>.optional(
                    "offset", .integer(in: 0...Int64(UInt32.max)), default: 0,
                    "The offset of the piece: 0, or the `next` of the previous piece."),
                answers: Piece.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read, handler: read),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "photos.add",
                "Adds a photo (JPEG, PNG, WebP or HEIC, recognised by its content) as the last one of your subject.",
                .subject, UploadMethods.upload, Self.caption,
                .optional(
                    "keep_metadata", .boolean, default: false,
                    "Whether others get the camera's metadata, such as time and place; false by default."),
                answers: PhotoAnswer.shape, errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable],
                right: .contribute, handler: add),
            .stored(
                "photos.update", "Changes the given fields of a photo; the others stay.", Self.photo, Self.caption,
                Parameter<Bool?>.optional(
                    "cover", .boolean,
                    "Whether the photo is its subject's cover; if none is chosen, the first photo is."),
                Parameter<Bool?>.optional(
                    "portrait", .boolean,
                    "Whether the photo is its person's profile picture; if none is chosen, the first photo is."),
                Parameter<Int?>.optional(
                    "position", .integer(in: 1...Int64(Photos.maximumPerSubject)),
                    "The position among the photos of the subject, 1 for the first."),
                Parameter<Bool?>.optional(
                    "keep_metadata", .boolean,
                    "Whether others get the camera's metadata; only the person who added the photo can set this."),
                answers: PhotoAnswer.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .contribute,
                handler: update),
            .stored(
                "photos.remove", "Removes a photo, and its file if no other photo shows the same picture.", Self.photo,
                answers: .object { Member("photo", .text, "The photo's id.") { $0 } },
                errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove this photo?", handler: remove),
        ]
    }

    private static let photo = Parameter<String>.required("photo", .string(length: 1...20), "The photo's id.")

    private static let caption = Parameter<String?>.optional(
        "caption", .string(length: 0...Photos.longestCaption), "The caption; an empty text means none."
    ).map { text throws(Refusal) in try text.map { text throws(Refusal) in try Caption(text) } }

    /// Returns a photo and its subject.
    ///
    /// - Parameter me: The number of the viewer, to read whether they have saved the photo, or `nil` if that is not
    ///   needed.
    /// - Throws: `Refusal` (`.notFound`) if there is no such photo, or if the viewer may not see its subject.
    func find(
        _ id: String, for viewer: Viewer, _ me: Int64?, in db: Database
    ) throws -> (photo: Photo, subject: Subject) {
        guard let photo = try Photo.find(id, for: me, in: db),
            let subject = try subjects.find(photo.subject, for: viewer, in: db)
        else { throw Refusal.notFound("There is no photo \(id). photos.list lists the photos of a subject.") }
        return (photo, subject)
    }
}
