public import EventStream
import GRDB
package import Positioning
public import RPC
public import Service
package import Store
import TextCoding

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
                "photos.list", "The photos of a subject in their order, or those of a person, newest first.",
                Parameter<String?>.optional("subject", Subjects.field.schema, "Whose photos, as KIND/ID."),
                Parameter<String?>.optional("person", .deviceName, "Who added them, instead of a subject."),
                .page(of: "photos.list", upTo: Self.largestPage, usually: 100), answers: List.shape,
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "photos.get", "One photo.", Self.photo, answers: PhotoAnswer.shape, errors: [.notFound], right: .read,
                handler: get),
            .stored(
                "photos.read",
                "The bytes of a photo, a piece at a time: the person who added it gets those that were uploaded, others a copy without what the camera has noted; of HEIC that is a JPEG.",
                Self.photo,
                .optional(
                    "size", default: Size.whole,
                    "The photo, or a thumbnail of \(PictureTool.side) pixels square as JPEG; whole if left out."),
                Parameter<Int>.optional(
                    "offset", .integer(in: 0...Int64(UInt32.max)), default: 0,
                    "Where the piece begins: 0, or the `next` of the piece before."),
                answers: Piece.shape, errors: [.notFound, .invalidValue, .unavailable], right: .read, handler: read),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "photos.add",
                "Adds a photo to a subject of yours, last in its order: JPEG, PNG, WebP or HEIC, known by its content.",
                .subject, UploadMethods.upload, Self.caption,
                .optional(
                    "keep_metadata", .boolean, default: false,
                    "Whether others are to have what the camera has noted, such as when and where; not if left out."),
                answers: PhotoAnswer.shape, errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable],
                right: .contribute, handler: add),
            .stored(
                "photos.update", "Changes what is given of a photo; the rest stays.", Self.photo, Self.caption,
                Parameter<Bool?>.optional(
                    "cover", .boolean, "Whether it stands for its subject; where none is chosen, the first does."),
                Parameter<Bool?>.optional(
                    "portrait", .boolean,
                    "Whether it is the profile picture of the person it is of; where none is chosen, the first is."),
                Parameter<Int?>.optional(
                    "position", .integer(in: 1...Int64(Photos.mostOfSubject)),
                    "Its place among the photos of its subject, 1 for the first."),
                Parameter<Bool?>.optional(
                    "keep_metadata", .boolean,
                    "Whether others are to have what the camera has noted; the person who added it says so."),
                answers: PhotoAnswer.shape, errors: [.notFound, .notAllowed, .invalidValue], right: .contribute,
                handler: update),
            .stored(
                "photos.remove", "Removes a photo, with its file where no other shows the same picture.", Self.photo,
                answers: .object { Member("photo", .text, "Its id.") { $0 } }, errors: [.notFound, .notAllowed],
                right: .contribute, question: "Remove this photo?", handler: remove),
        ]
    }

    private static let photo = Parameter<String>.required("photo", .string(length: 1...20), "The photo's id.")

    private static let caption = Parameter<String?>.optional(
        "caption", .string(length: 0...Photos.longestCaption), "What it shows; an empty text for nothing."
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
        else { throw Refusal.notFound("There is no photo \(id); photos.list lists those of a subject.") }
        return (photo, subject)
    }
}
