extension SimulatedSight {
    /// The sights of Liechtenstein.
    ///
    /// The coordinates are © OpenStreetMap contributors, under the Open Database Licence 1.0; the facts are general
    /// knowledge, and the sentences were written for this project.
    static let liechtenstein = [
        SimulatedSight(
            "gutenberg-castle", "Gutenberg Castle", 47.0654, 9.50058, 260, "castle",
            "The castle on the rock above Balzers, with vineyards on its slope and a rose garden inside."),
        SimulatedSight(
            "gasometer", "Gasometer", 47.10784, 9.52665, 140, "museum",
            "The gas works of a former cotton mill in Triesen, now a house for exhibitions and concerts."),
        SimulatedSight(
            "cathedral-of-st-florin", "Cathedral of St Florin", 47.13621, 9.52277, 90, "church",
            "Vaduz's cathedral of 1873, to plans of Friedrich von Schmidt, with the tomb of the princely family beside it."
        ),
        SimulatedSight(
            "landtag", "Landtag", 47.13772, 9.52271, 70, "architecture",
            "The parliament's long house of a million bricks on Peter-Kaiser-Platz, opened in 2008."),
        SimulatedSight(
            "landesmuseum", "National Museum", 47.13817, 9.52273, 80, "museum",
            "The country's history and nature, in three houses, of which the oldest was an inn and a customs house."),
        SimulatedSight(
            "postmuseum", "Postal Museum", 47.13902, 9.52278, 80, "museum",
            "All stamps of Liechtenstein since 1912, in drawers that you pull out of the wall."),
        SimulatedSight(
            "kunstmuseum", "Kunstmuseum Liechtenstein", 47.13952, 9.52202, 80, "museum",
            "A black cube of polished concrete for modern and contemporary art, opened in 2000."),
        SimulatedSight(
            "vaduz-castle", "Vaduz Castle", 47.13946, 9.5243, 160, "castle",
            "The prince's home above the town, whose keep is of the twelfth century; you see it from outside only."),
        SimulatedSight(
            "red-house", "The Red House", 47.14483, 9.52179, 90, "architecture",
            "A tower house with a stepped gable among vines, once of the monastery of Saint John in the valley of the Thur."
        ),
        SimulatedSight(
            "prince-s-wine-cellars", "The Prince's Wine Cellars", 47.14502, 9.51656, 150, "wine",
            "Pinot noir from the sunny slope behind the house, the Herawingert, and a room to taste it in."),
        SimulatedSight(
            "domus", "DoMuS", 47.16605, 9.50937, 90, "museum",
            "The museum of Schaan, where the village shows its photos, its customs and its artists."),
        SimulatedSight(
            "st-laurentius", "St Laurentius", 47.16639, 9.51208, 230, "church",
            "Schaan's parish church with the tallest spire of the country."),
        SimulatedSight(
            "bendern-church-hill", "Church Hill of Bendern", 47.21299, 9.50705, 220, "view",
            "The hill on which the men of the lowlands swore an oath to the prince in 1699; a path tells the story."),
        SimulatedSight(
            "ruggell", "Ruggell", 47.23976, 9.52629, 250, "village",
            "The lowest village of the country, at 433 m, with a moor where irises flower in May."),
        SimulatedSight(
            "biedermann-house", "Biedermann House", 47.23282, 9.54786, 110, "museum",
            "A wooden house of 1518, among the oldest of the country, furnished as around 1900."),
        SimulatedSight(
            "lower-castle-ruin", "Lower Castle of Schellenberg", 47.23321, 9.54245, 120, "ruin",
            "Walls of the thirteenth century in the wood below the village."),
        SimulatedSight(
            "nendeln-pottery", "Nendeln", 47.1979, 9.54245, 160, "village",
            "The village at the crossing of the roads, with a pottery of 1836 and the floor of a Roman villa."),
        SimulatedSight(
            "walser-museum", "Walser Museum", 47.11848, 9.54288, 90, "museum",
            "How the Walser came over the passes to Triesenberg around 1300, and how they lived on the steep slope."),
        SimulatedSight(
            "st-theodul", "St Theodul", 47.118, 9.54393, 90, "church",
            "Triesenberg's church, whose onion-shaped dome is seen from the whole valley."),
        SimulatedSight(
            "himmelstreppe", "Stairway of Gaflei", 47.14574, 9.54281, 120, "view",
            "Steps and ladders down from Gaflei, with the whole valley of the Rhine below."),
        SimulatedSight(
            "steg", "Steg", 47.11176, 9.57657, 150, "village",
            "Huts in a ring around a meadow behind the tunnel, and a lake with a trail for skiers in winter."),
        SimulatedSight(
            "malbun", "Malbun", 47.10279, 9.60839, 200, "village",
            "The country's only ski resort, at 1600 m; in summer a chairlift leads to the ridge of Sareis."),
    ]
}
