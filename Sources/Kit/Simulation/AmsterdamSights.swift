extension SimulatedSight {
    /// The sights of Amsterdam.
    ///
    /// The rounded coordinates and the facts are general knowledge; the sentences were written for this project.
    static let amsterdam = [
        SimulatedSight(
            "amsterdam-centraal", "Amsterdam Centraal", 52.3789, 4.9004, 120, "station",
            "The main railway station, opened in 1889 on islands made for it in the IJ; Pierre Cuypers designed it."),
        SimulatedSight(
            "sint-nicolaasbasiliek", "Basilica of Saint Nicholas", 52.3766, 4.9011, 60, "church",
            "The large Catholic church opposite the station, completed in 1887."),
        SimulatedSight(
            "schreierstoren", "Schreierstoren", 52.37633, 4.90289, 50, "tower",
            "A tower of the medieval city wall; a plaque remembers Henry Hudson's voyage of 1609."),
        SimulatedSight(
            "beurs-van-berlage", "Beurs van Berlage", 52.37505, 4.89605, 80, "architecture",
            "Hendrik Petrus Berlage's brick exchange of 1903, now a hall for concerts and meetings."),
        SimulatedSight(
            "oude-kerk", "Oude Kerk", 52.37436, 4.89811, 60, "church",
            "The oldest building of Amsterdam, in the middle of the red-light district; Rembrandt's wife Saskia lies here."
        ),
        SimulatedSight(
            "national-monument", "National Monument", 52.37283, 4.89366, 60, "monument",
            "The stone pillar on Dam Square, where the Dutch remember the dead of war each year on 4 May."),
        SimulatedSight(
            "royal-palace", "Royal Palace", 52.3732, 4.8914, 80, "palace",
            "Built as the town hall in the seventeenth century to Jacob van Campen's design; a palace since Louis Bonaparte."
        ),
        SimulatedSight(
            "nieuwe-kerk", "Nieuwe Kerk", 52.37389, 4.89167, 135, "church",
            "The late Gothic church beside the palace, where Dutch monarchs are inaugurated."),
        SimulatedSight(
            "magna-plaza", "Magna Plaza", 52.3733, 4.89, 50, "architecture",
            "The former main post office behind the palace, of the last years of the nineteenth century."),
        SimulatedSight(
            "waag", "De Waag", 52.37272, 4.90036, 50, "architecture",
            "A city gate of the fifteenth century on the Nieuwmarkt, later the weigh house."),
        SimulatedSight(
            "scheepvaarthuis", "Scheepvaarthuis", 52.37431, 4.90397, 60, "architecture",
            "The shipping companies' office of 1916, an early work of the Amsterdam School, now a hotel."),
        SimulatedSight(
            "torensluis", "Torensluis", 52.37361, 4.88917, 50, "bridge",
            "One of the oldest and widest bridges of the city, over the Singel, with a statue of the writer Multatuli."),
        SimulatedSight(
            "westerkerk", "Westerkerk", 52.37453, 4.88395, 60, "church",
            "The church of 1631 whose bells Anne Frank heard from her hiding place; Rembrandt was buried here."),
        SimulatedSight(
            "anne-frank-house", "Anne Frank House", 52.37522, 4.88398, 120, "museum",
            "The canal house where Anne Frank hid for two years and wrote her diary."),
        SimulatedSight(
            "homomonument", "Homomonument", 52.3744, 4.88472, 40, "monument",
            "Three triangles of pink granite beside the Westerkerk, unveiled in 1987."),
        SimulatedSight(
            "noorderkerk", "Noorderkerk", 52.3794, 4.8863, 50, "church",
            "A Protestant church of 1623 in the shape of a Greek cross, with a market around it."),
        SimulatedSight(
            "haarlemmerpoort", "Haarlemmerpoort", 52.38472, 4.88325, 60, "architecture",
            "The city gate on the road to Haarlem, built in 1840."),
        SimulatedSight(
            "begijnhof", "Begijnhof", 52.36942, 4.89017, 50, "courtyard",
            "A quiet courtyard of old houses, one of them of wood, where the beguines lived."),
        SimulatedSight(
            "leidseplein", "Leidseplein", 52.36417, 4.88278, 80, "square",
            "A square of theatres and cafés, where the road from Leiden entered the city."),
        SimulatedSight(
            "paradiso", "Paradiso", 52.36222, 4.88386, 60, "music",
            "A former church that has been a stage for pop music since 1968."),
        SimulatedSight(
            "rijksmuseum", "Rijksmuseum", 52.35999, 4.88522, 120, "museum",
            "The national museum, where Rembrandt's Night Watch hangs; Pierre Cuypers's building opened in 1885."),
        SimulatedSight(
            "van-gogh-museum", "Van Gogh Museum", 52.35842, 4.88108, 80, "museum",
            "The largest collection of Vincent van Gogh's paintings and drawings."),
        SimulatedSight(
            "stedelijk-museum", "Stedelijk Museum", 52.35806, 4.8797, 60, "museum",
            "The museum of modern and contemporary art, with its white extension of 2012."),
        SimulatedSight(
            "concertgebouw", "Concertgebouw", 52.35636, 4.87914, 80, "music",
            "The concert hall of 1888, famous for its acoustics."),
        SimulatedSight(
            "vondelpark", "Vondelpark", 52.358, 4.8686, 150, "park",
            "The park named after the poet Joost van den Vondel, opened in 1865."),
        SimulatedSight(
            "heineken-experience", "Heineken Experience", 52.35783, 4.89178, 80, "museum",
            "The brewery that Heineken left in 1988, now a museum of its beer."),
        SimulatedSight(
            "foam", "Foam", 52.3641, 4.89325, 50, "museum",
            "A museum of photography on the Keizersgracht."),
        SimulatedSight(
            "bloemenmarkt", "Bloemenmarkt", 52.36675, 4.89135, 70, "market",
            "The flower market along the Singel."),
        SimulatedSight(
            "munttoren", "Munttoren", 52.36705, 4.89325, 60, "tower",
            "What is left of a medieval gate, with a spire of 1620; coins were minted here for a short while."),
        SimulatedSight(
            "tuschinski", "Tuschinski Theatre", 52.36617, 4.89461, 60, "theatre",
            "Abraham Tuschinski's lavish cinema of 1921."),
        SimulatedSight(
            "rembrandtplein", "Rembrandtplein", 52.36603, 4.8966, 90, "square",
            "A square of cafés around the statue of Rembrandt."),
        SimulatedSight(
            "opera", "Dutch National Opera & Ballet", 52.3675, 4.9012, 120, "music",
            "The opera house on the Amstel, opened in 1986 in one building with the city hall."),
        SimulatedSight(
            "hart-museum", "H'ART Museum", 52.3653, 4.9025, 70, "museum",
            "The former Hermitage Amsterdam, in a home for old people built in the seventeenth century."),
        SimulatedSight(
            "zuiderkerk", "Zuiderkerk", 52.37003, 4.90047, 50, "church",
            "Finished in 1611, the first church of the city built for Protestants; Hendrick de Keyser designed it."),
        SimulatedSight(
            "rembrandthuis", "Rembrandt House Museum", 52.36933, 4.90139, 50, "museum",
            "The house that Rembrandt bought in 1639 and lost to his creditors."),
        SimulatedSight(
            "jewish-museum", "Jewish Museum", 52.36717, 4.90383, 90, "museum",
            "A museum in four synagogues of the seventeenth and eighteenth centuries."),
        SimulatedSight(
            "portuguese-synagogue", "Portuguese Synagogue", 52.36753, 4.90548, 70, "synagogue",
            "The great Sephardic synagogue of 1675, still lit by candles."),
        SimulatedSight(
            "hortus", "Hortus Botanicus", 52.36685, 4.90808, 90, "garden",
            "One of the oldest botanical gardens in the world, founded in 1638."),
        SimulatedSight(
            "hollandsche-schouwburg", "Hollandsche Schouwburg", 52.36639, 4.91111, 50, "memorial",
            "The theatre where Jews were held before deportation in 1942 and 1943, now a memorial."),
        SimulatedSight(
            "artis", "Artis", 52.3661, 4.9133, 120, "zoo",
            "The zoo of Amsterdam, founded in 1838, the oldest of the Netherlands."),
        SimulatedSight(
            "resistance-museum", "Resistance Museum", 52.36778, 4.91272, 60, "museum",
            "What people in the Netherlands did under the occupation of 1940 to 1945."),
        SimulatedSight(
            "scheepvaartmuseum", "National Maritime Museum", 52.37167, 4.91479, 120, "museum",
            "The navy's arsenal of 1656, with a replica of the East Indiaman Amsterdam at its quay."),
        SimulatedSight(
            "nemo", "NEMO Science Museum", 52.37408, 4.91232, 100, "museum",
            "Renzo Piano's green ship's bow on top of the mouth of the IJtunnel, opened in 1997."),
        SimulatedSight(
            "oba-oosterdok", "OBA Oosterdok", 52.3758, 4.9083, 70, "library",
            "The central public library, opened in 2007."),
        SimulatedSight(
            "muziekgebouw", "Muziekgebouw aan 't IJ", 52.3783, 4.91315, 130, "music",
            "A concert hall of glass over the water of the IJ, opened in 2005."),
        SimulatedSight(
            "eye", "Eye Filmmuseum", 52.38435, 4.901, 150, "museum",
            "The white film museum on the north bank of the IJ, opened in 2012."),
        SimulatedSight(
            "adam-toren", "A'DAM Toren", 52.38392, 4.90225, 80, "tower",
            "Shell's former office tower beside the ferry, with a lookout on its roof."),
        SimulatedSight(
            "ndsm", "NDSM wharf", 52.4009, 4.892, 150, "harbour",
            "A former shipyard, now a quarter of studios and festivals."),
        SimulatedSight(
            "magere-brug", "Magere Brug", 52.36356, 4.90244, 50, "bridge",
            "The wooden drawbridge over the Amstel, lit by many bulbs at night."),
        SimulatedSight(
            "carre", "Royal Theatre Carré", 52.36247, 4.90408, 60, "theatre",
            "Built in 1887 for Oscar Carré's circus."),
        SimulatedSight(
            "de-gooyer", "De Gooyer", 52.36669, 4.92636, 60, "windmill",
            "A tall wooden windmill beside the Singelgracht, with a brewery next door."),
        SimulatedSight(
            "wereldmuseum", "Wereldmuseum Amsterdam", 52.36256, 4.92239, 90, "museum",
            "The former Tropenmuseum, opened in 1926: people and their cultures around the world."),
    ]
}
