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

    /// The most photos in one page of `photos.list`.
    static let largestPage = 1000
    /// The most bytes in a piece of `photos.read`: in base64 it takes two thirds of a line.
    static let longestPiece = Upload.longestPiece

    /// The methods over a store and the files beside it.
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

    /// The methods.
    public var all: [Method<Principal>] { reading + changing }

    private var reading: [Method<Principal>] {
        [
            .stored(
                "photos.list", "The photos of a subject in their order, or those of a person, newest first.",
                parameters: [
                    .optional("subject", Subjects.field.schema, "Whose photos, as KIND/ID."),
                    .optional("person", Schema.deviceName, "Who added them, instead of a subject."),
                    Field.limit(upTo: Self.largestPage, usually: 100), Field.after,
                ],
                result: .object([
                    .required("photos", .array(of: Photo.schema), "The photos."),
                    .optional("count", .integer, "How many the subject has."), Field.next,
                ]),
                errors: [.notFound, .invalidValue], right: .read, handler: list),
            .stored(
                "photos.get", "One photo.", parameters: [Self.photo], result: Photo.schema, errors: [.notFound],
                right: .read, handler: get),
            .stored(
                "photos.read",
                "The bytes of a photo, a piece at a time: the person who added it gets those that were uploaded, others a copy without what the camera has noted; of HEIC that is a JPEG.",
                parameters: [
                    Self.photo,
                    .optional(
                        "size", .choice(["whole", "square"]),
                        "The photo, or a thumbnail of \(PictureTool.side) pixels square as JPEG; whole if left out."),
                    .optional(
                        "offset", .integer(in: 0...Int64(UInt32.max)),
                        "Where the piece begins: 0, or the `next` of the piece before."),
                ],
                result: .object([
                    .required("type", .string, "What it is: image/jpeg, image/png, image/webp or image/heic."),
                    .required("size", .integer, "How many bytes there are in all."),
                    .required("sha256", .string, "The SHA-256 of all of them, in hexadecimal digits."),
                    .required("offset", .integer, "Where this piece begins."),
                    .required("data", .string, "The piece in base64."),
                    .optional("next", .integer, "Where the next piece begins; left out where this is the last."),
                ]),
                errors: [.notFound, .invalidValue, .unavailable], right: .read, handler: read),
        ]
    }

    private var changing: [Method<Principal>] {
        [
            .stored(
                "photos.add",
                "Adds a photo to a subject of yours, last in its order: JPEG, PNG, WebP or HEIC, known by its content.",
                parameters: [
                    Subjects.field, UploadMethods.upload, Self.caption,
                    .optional(
                        "keep_metadata", .boolean,
                        "Whether others are to have what the camera has noted, such as when and where; not if left out."
                    ),
                ],
                result: Photo.schema, errors: [.notFound, .notAllowed, .conflict, .invalidValue, .unavailable],
                right: .contribute, handler: add),
            .stored(
                "photos.update", "Changes what is given of a photo; the rest stays.",
                parameters: [
                    Self.photo, Self.caption,
                    .optional(
                        "cover", .boolean, "Whether it stands for its subject; where none is chosen, the first does."),
                    .optional(
                        "portrait", .boolean,
                        "Whether it is the profile picture of the person it is of; where none is chosen, the first is."),
                    .optional(
                        "position", .integer(in: 1...Int64(Photos.mostOfSubject)),
                        "Its place among the photos of its subject, 1 for the first."),
                    .optional(
                        "keep_metadata", .boolean,
                        "Whether others are to have what the camera has noted; for who added it to say."),
                ],
                result: Photo.schema, errors: [.notFound, .notAllowed, .invalidValue], right: .contribute,
                handler: update),
            .stored(
                "photos.remove", "Removes a photo, with its file where no other shows the same picture.",
                parameters: [Self.photo], result: .object([.required("photo", .string, "Its id.")]),
                errors: [.notFound, .notAllowed], right: .contribute, question: "Remove this photo?", handler: remove),
        ]
    }

    private static let photo = Field.required("photo", .string(length: 1...20), "The photo's id.")

    private static let caption = Field.optional(
        "caption", .string(length: 0...Photos.longestCaption), "What it shows; an empty text for nothing.")

    /// The photo that a call names, with its subject.
    ///
    /// - Throws: 1 where there is none, or the viewer may not see its subject.
    func find(_ call: Call<Principal>, in db: Database) throws -> (photo: Photo, subject: Subject) {
        let id: String = try call.value("photo")
        guard let photo = try Photo.find(id, in: db),
            let subject = try subjects.find(photo.subject, for: call.viewer, in: db)
        else { throw RPCError.notFound("There is no photo \(id); photos.list lists those of a subject.") }
        return (photo, subject)
    }
}
