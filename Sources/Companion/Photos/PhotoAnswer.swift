package import GRDB
import Geodesy
import ImageMetadata
import Positioning
package import RPC
package import Service

/// The description of a photo for a viewer.
package struct PhotoAnswer: Answerable, Sendable {
    private let photo: Photo
    /// Whether the viewer may see the metadata of the camera.
    private let isWhole: Bool
    /// Where the photo was taken, or `nil` if it is not known or the viewer may not know it.
    private let found: PhotoPlace?

    /// Creates the description of a single photo.
    ///
    /// - Parameter photo: The photo as read for this viewer, which includes whether they have saved it.
    package init(_ photo: Photo, for viewer: Viewer, in db: Database) throws {
        var places = PhotoPlaces()
        try self.init(photo, for: viewer, at: &places, in: db)
    }

    /// Creates the description of a photo on a page.
    ///
    /// - Parameters:
    ///   - photo: The photo as read for this viewer, which includes whether they have saved it.
    ///   - places: The cache that finds the places of all photos of the page.
    init(_ photo: Photo, for viewer: Viewer, at places: inout PhotoPlaces, in db: Database) throws {
        self.photo = photo
        isWhole = photo.isWhole(for: viewer)
        // The trace of a device shows who travelled with it, so only the person who added the photo gets a place on a
        // trace.
        if photo.isOf(viewer) {
            found = try places.find(for: photo, in: db)
        } else {
            found = isWhole ? photo.coordinate.map { PhotoPlace(coordinate: $0, trip: nil) } : nil
        }
    }

    /// The type of the file that the viewer gets.
    ///
    /// Other people get a JPEG instead of types that must be drawn again.
    private var type: Picture.Kind {
        isWhole ? photo.kind : photo.copy?.kind ?? (photo.kind == .heic ? .jpeg : photo.kind)
    }

    package static let shape = AnswerShape<PhotoAnswer>.object {
        Member("id", .text, "The photo's id.") { $0.photo.id }
        Member("subject", .text, "The subject that the photo belongs to, as KIND/ID.") { $0.photo.subject.description }
        Member("position", .integer, "The position among the photos of the subject, from 1.") { $0.photo.place }
        Member("cover", .boolean, "Whether the photo is the cover of its subject.") { $0.photo.isCover }
        Member.optional(
            "portrait", .boolean, "Whether the photo is the profile picture of its person; absent for other subjects."
        ) {
            $0.photo.subject.kind == "person" ? $0.photo.isPortrait : nil
        }
        Member.optional("caption", .text, "The caption; absent if there is none.") { $0.photo.caption }
        Member.optional(
            "person", .text, "The username of the person who added the photo; absent if an administrator did."
        ) { $0.photo.person }
        Member("added", .time, "The time at which the photo was added.") { $0.photo.added }
        Member("type", .text, "The media type: image/jpeg, image/png, image/webp or image/heic.") { $0.type.mediaType }
        Member("width", .integer, "The width in pixels, as displayed.") { $0.photo.width }
        Member("height", .integer, "The height in pixels, as displayed.") { $0.photo.height }
        Member.optional(
            "size", .integer,
            "The number of bytes that photos.read returns; absent until the copy without metadata is made."
        ) { $0.isWhole ? $0.photo.size : $0.photo.copy?.size }
        Member.optional("sha256", .text, "The SHA-256 of these bytes, in hexadecimal digits; absent if the size is.") {
            $0.isWhole ? $0.photo.digest : $0.photo.copy?.digest
        }
        Member("keep_metadata", .boolean, "Whether others get the camera's metadata.") { $0.photo.keepsMetadata }
        Member.optional(
            "saved", .boolean, "Whether you have saved the photo with reactions.set; absent if you are not signed in."
        ) { $0.photo.isSaved }
        Member.optional(
            "name", .text, "The name of the uploaded file; like the members below, only for those who get the metadata."
        ) { $0.isWhole ? $0.photo.name : nil }
        Member.optional(
            "taken", .time,
            """
            The time at which the photo was taken. The camera's clock is assumed to be UTC if the photo has neither \
            its time zone nor the time of GPS.
            """
        ) { $0.isWhole ? $0.photo.taken : nil }
        Member.optional(
            "lat", .number(.latitude, decimals: 7),
            "The latitude of the place where the photo was taken, in degrees north."
        ) { $0.found?.coordinate.latitude }
        Member.optional(
            "lon", .number(.longitude, decimals: 7),
            "The longitude of the place where the photo was taken, in degrees east."
        ) { $0.found?.coordinate.longitude }
        Member.optional(
            "trip", .text,
            """
            The id of the trip whose trace has that place, of a device that carries the person who added the photo; \
            only for that person. Absent if the camera recorded the place.
            """
        ) { $0.found?.trip }
    }
}
