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

    package static let shape = Shape<PhotoAnswer>.object {
        Member("id", .text, "What it is known by.") { $0.photo.id }
        Member("subject", .text, "What it is of, as KIND/ID.") { $0.photo.subject.description }
        Member("position", .integer, "Its place among the photos of its subject, from 1.") { $0.photo.place }
        Member("cover", .boolean, "Whether it stands for its subject.") { $0.photo.isCover }
        Member.optional("portrait", .boolean, "Whether it is the profile picture of the person it is of.") {
            $0.photo.subject.kind == "person" ? $0.photo.isPortrait : nil
        }
        Member.optional("caption", .text, "What it shows.") { $0.photo.caption }
        Member.optional("person", .text, "Who added it; left out where that was an administrator.") { $0.photo.person }
        Member("added", .time, "When that was.") { $0.photo.added }
        Member("type", .text, "What it is: image/jpeg, image/png, image/webp or image/heic.") { $0.type.mediaType }
        Member("width", .integer, "Its pixels across, as it is to be shown.") { $0.photo.width }
        Member("height", .integer, "Its pixels down, as it is to be shown.") { $0.photo.height }
        Member.optional(
            "size", .integer,
            "How many bytes photos.read gives of it; left out where a copy without what the camera has noted is yet to be made."
        ) { $0.isWhole ? $0.photo.size : $0.photo.copy?.size }
        Member.optional("sha256", .text, "Their SHA-256, in hexadecimal digits; left out as the size is.") {
            $0.isWhole ? $0.photo.digest : $0.photo.copy?.digest
        }
        Member("keep_metadata", .boolean, "Whether others have what the camera has noted.") { $0.photo.keepsMetadata }
        Member.optional(
            "saved", .boolean, "Whether you have saved it, as reactions.set does; left out where nobody is signed in."
        ) { $0.photo.isSaved }
        Member.optional(
            "name", .text, "What its file was called; for who has what the camera has noted, as all that follows."
        ) { $0.isWhole ? $0.photo.name : nil }
        Member.optional(
            "taken", .time,
            "When it was taken; the clock of a camera that says neither its zone nor the time of GPS is taken for UTC."
        ) { $0.isWhole ? $0.photo.taken : nil }
        Member.optional(
            "lat", .number(.latitude, decimals: 7), "Degrees north of where it was taken."
        ) { $0.found?.coordinate.latitude }
        Member.optional(
            "lon", .number(.longitude, decimals: 7), "Degrees east of where it was taken."
        ) { $0.found?.coordinate.longitude }
        Member.optional(
            "trip", .text,
            "The trip on whose trace that is, of a device that carries the person who added it; for that person alone. Left out where the camera says it."
        ) { $0.found?.trip }
    }
}
