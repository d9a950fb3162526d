-- Which things of OpenStreetMap Waymark's map shows, in the words of the schema OpenMapTiles that its style reads.
-- `waymark map import` gives this file to tilemaker, together with config.json.

-- A node is passed on only if it has one of these keys.
node_keys = {
  "addr:housenumber", "aerialway", "amenity", "emergency", "highway", "historic", "leisure", "natural", "office",
  "place", "public_transport", "railway", "shop", "tourism",
}

-- The languages of the pages, in which names are kept besides the local ones.
local languages = { "en", "de" }

local function set(words)
  local result = {}
  for word in string.gmatch(words, "%S+") do result[word] = true end
  return result
end

-- Makes a table of "class: values" lines: from a value to its class.
local function classes(lines)
  local result = {}
  for class, values in pairs(lines) do
    for value in string.gmatch(values, "%S+") do result[value] = class end
  end
  return result
end

function init_function() end
function exit_function() end

-- Names ---------------------------------------------------------------------------------------------------------------

-- Writes the name of the last thing in a layer.
local function write_name(thing, name)
  thing:Attribute("name", name)
  for _, language in ipairs(languages) do
    local other = thing:Find("name:" .. language)
    if other ~= "" and other ~= name then thing:Attribute("name:" .. language, other) end
  end
end

-- Points --------------------------------------------------------------------------------------------------------------

-- The values of each key that become points, with the order in which they make way for each other: the smallest number
-- is placed first. A point's key is its class, and the value its subclass.
local point_ranks = {
  tourism = {
    museum = 3, attraction = 4, viewpoint = 4, zoo = 3, theme_park = 3, gallery = 6, artwork = 12, hotel = 8, hostel = 8,
    guest_house = 9, motel = 9, chalet = 9, apartment = 10, camp_site = 7, caravan_site = 7, alpine_hut = 5,
  },
  historic = { castle = 3, ruins = 5, monument = 6, memorial = 12 },
  amenity = {
    hospital = 2, clinic = 6, doctors = 9, pharmacy = 7, townhall = 5, library = 8, theatre = 6, university = 5,
    school = 9, police = 7, fire_station = 9, post_office = 8, bank = 10, courthouse = 8, public_building = 9,
    marketplace = 8, place_of_worship = 8, restaurant = 9, cafe = 9, fast_food = 10, bar = 10, pub = 9, food_court = 10,
    biergarten = 9, ice_cream = 11, fuel = 7, charging_station = 10, parking = 12, toilets = 12, swimming_pool = 10,
    bus_station = 6, ferry_terminal = 5,
  },
  shop = { supermarket = 8, convenience = 10, bakery = 10, butcher = 11, mall = 7, department_store = 8, clothes = 12,
    chemist = 10 },
  leisure = { stadium = 6, sports_centre = 9, swimming_pool = 10 },
  railway = { station = 4, halt = 6, tram_stop = 10 },
  highway = { bus_stop = 12 },
}
-- The order of the keys, of which the first decides.
local point_keys = { "tourism", "historic", "amenity", "shop", "leisure", "railway", "highway" }
-- Points that are shown without a name.
local nameless = set("parking toilets viewpoint fuel charging_station")
-- A swimming pool in a garden is nobody else's.
local private = set("private no")

-- Finds what point a thing is: its key, its value and its rank.
local function point_of(thing)
  for _, key in ipairs(point_keys) do
    local value = thing:Find(key)
    local rank = value ~= "" and point_ranks[key][value]
    if rank and not private[thing:Find("access")] then return key, value, rank end
  end
end

-- Writes the point that a thing is, if it is one. `begin` begins it in a layer.
local function write_point(thing, begin)
  local key, value, rank = point_of(thing)
  if not key then return end
  local name = thing:Find("name")
  if name == "" and not nameless[value] then return end
  begin("poi")
  thing:MinZoom(rank <= 8 and 13 or 14)
  thing:Attribute("class", key)
  thing:Attribute("subclass", value)
  thing:AttributeNumeric("rank", rank)
  if name ~= "" then write_name(thing, name) end
end

local function write_house(thing, begin)
  local number = thing:Find("addr:housenumber")
  if number == "" then return end
  begin("housenumber")
  thing:Attribute("housenumber", number)
end

-- Settlements: the zoom from which each is in the tiles, and the rank of the smallest.
local places = {
  city = { 3, 6 }, town = { 6, 9 }, village = { 8, 11 }, suburb = { 10, 12 }, borough = { 10, 12 }, quarter = { 11, 13 },
  neighbourhood = { 12, 14 }, hamlet = { 11, 13 }, isolated_dwelling = { 13, 15 }, farm = { 13, 15 },
  locality = { 13, 15 }, island = { 9, 11 }, islet = { 12, 14 },
}

local function write_place(thing, begin)
  local kind, name = thing:Find("place"), thing:Find("name")
  local place = places[kind]
  if not place or name == "" then return end
  local rank = place[2]
  local people = tonumber(thing:Find("population"))
  -- Larger ones come before smaller ones of their kind.
  if people then
    for _, least in ipairs({ 1000000, 300000, 100000, 30000, 10000, 3000 }) do
      if people >= least and rank > 1 then rank = rank - 1 end
    end
  end
  local capital = thing:Find("capital")
  if capital == "yes" or capital == "2" then rank = 1 end
  begin("place")
  thing:MinZoom(capital == "yes" and 3 or place[1])
  thing:Attribute("class", kind)
  thing:AttributeNumeric("rank", rank)
  write_name(thing, name)
end

function node_function(node)
  local begin = function(layer) node:Layer(layer, false) end
  write_place(node, begin)
  write_house(node, begin)
  local natural = node:Find("natural")
  if natural == "peak" or natural == "volcano" then
    local name, height = node:Find("name"), tonumber(node:Find("ele"))
    if name ~= "" then
      node:Layer("mountain_peak", false)
      node:Attribute("class", natural)
      if height then node:AttributeNumeric("ele", math.floor(height + 0.5)) end
      write_name(node, name)
    end
  end
  write_point(node, begin)
end

-- Borders -------------------------------------------------------------------------------------------------------------

-- A border is a way in the relations of the areas on its sides, which have its level.
function relation_scan_function(relation)
  if relation:Find("type") == "boundary" and relation:Find("boundary") == "administrative" then relation:Accept() end
end

-- The least level at which a way is a border, which is that of the largest area; nil if it is none.
local function border_level(way)
  local least
  local function consider(text)
    local level = tonumber(text)
    if level and (not least or level < least) then least = level end
  end
  while way:NextRelation() do consider(way:FindInRelation("admin_level")) end
  if way:Find("boundary") == "administrative" then consider(way:Find("admin_level")) end
  return least
end

local function write_border(way)
  local level = border_level(way)
  if not level or level > 6 then return end
  way:Layer("boundary", false)
  way:MinZoom(level <= 2 and 0 or level <= 4 and 4 or 9)
  way:AttributeNumeric("admin_level", level)
  way:AttributeNumeric("maritime", way:Find("maritime") == "yes" and 1 or 0)
  way:AttributeNumeric("disputed", way:Find("disputed") == "yes" and 1 or 0)
end

-- Ways ----------------------------------------------------------------------------------------------------------------

local road_class = classes({
  motorway = "motorway motorway_link", trunk = "trunk trunk_link", primary = "primary primary_link",
  secondary = "secondary secondary_link", tertiary = "tertiary tertiary_link",
  minor = "unclassified residential living_street road", service = "service", track = "track",
  path = "path footway cycleway bridleway steps pedestrian corridor", raceway = "raceway", busway = "busway bus_guideway",
})
local road_zoom = {
  motorway = 4, trunk = 5, primary = 7, secondary = 9, tertiary = 10, minor = 12, busway = 12, raceway = 12,
  service = 13, track = 13, path = 13,
}
local road_order = {
  motorway = 9, trunk = 8, primary = 7, secondary = 6, tertiary = 5, minor = 4, busway = 3, raceway = 3, service = 2,
  track = 1, path = 0,
}
-- The zoom from which the name of a road is in the tiles.
local name_zoom = { motorway = 8, trunk = 8, primary = 10, secondary = 11, tertiary = 12, minor = 12 }
local rail_class = classes({ rail = "rail narrow_gauge preserved funicular", transit = "tram light_rail subway monorail" })
local lift_class = classes({ cable_car = "cable_car", gondola = "gondola mixed_lift", aerialway =
  "chair_lift drag_lift t-bar j-bar platter rope_tow magic_carpet" })
local no = set("no false 0")
local sidings = set("yard siding spur crossover")

-- Whether a way lies on a bridge or in a tunnel: "bridge", "tunnel", or "".
local function level_of(way)
  local function is(key) local value = way:Find(key); return value ~= "" and not no[value] end
  if is("bridge") then return "bridge" end
  if is("tunnel") or way:Find("covered") == "yes" then return "tunnel" end
  return ""
end

local function write_line(way, class, zoom, order)
  way:Layer("transportation", false)
  way:MinZoom(zoom)
  way:Attribute("class", class)
  way:ZOrder(order)
  local level = level_of(way)
  if level ~= "" then way:Attribute("brunnel", level) end
end

local function write_road(way, kind)
  local class = road_class[kind]
  if not class then return end
  if way:IsClosed() and way:Find("area") == "yes" then return end
  local zoom = road_zoom[class]
  local is_aisle = class == "service" and way:Find("service") ~= ""
  write_line(way, class, is_aisle and 14 or zoom, road_order[class])
  if string.find(kind, "_link", 1, true) then way:AttributeNumeric("ramp", 1) end
  local name, ref = way:Find("name"), way:Find("ref")
  if name == "" and ref == "" then return end
  way:Layer("transportation_name", false)
  way:MinZoom(name_zoom[class] or 14)
  way:Attribute("class", class)
  if name ~= "" then way:Attribute("name", name) end
  if ref ~= "" then
    way:Attribute("ref", ref)
    way:AttributeNumeric("ref_length", #ref)
  end
end

local stream_zoom = { river = 8, canal = 10, stream = 12, ditch = 13, drain = 13 }

local function write_stream(way, kind)
  local zoom = stream_zoom[kind]
  if not zoom then return end
  local level = level_of(way)
  way:Layer("waterway", false)
  way:MinZoom(zoom)
  way:Attribute("class", kind)
  if level ~= "" then way:Attribute("brunnel", level) end
  local name = way:Find("name")
  if name == "" or level == "tunnel" then return end
  way:Layer("water_name", false)
  way:MinZoom(zoom < 12 and 11 or 14)
  way:Attribute("class", kind)
  write_name(way, name)
end

-- Areas ---------------------------------------------------------------------------------------------------------------

local cover = {
  natural = classes({ wood = "wood", grass = "grassland heath scrub fell", sand = "sand beach", ice = "glacier",
    rock = "bare_rock scree shingle", wetland = "wetland mud" }),
  landuse = classes({ wood = "forest", grass = "grass meadow village_green recreation_ground flowerbed",
    farmland = "farmland farmyard orchard vineyard allotments plant_nursery" }),
  leisure = classes({ grass = "park garden golf_course common" }),
}
local use = {
  landuse = classes({ residential = "residential", industrial = "industrial", railway = "railway", quarry = "quarry",
    commercial = "commercial", retail = "retail", cemetery = "cemetery" }),
  leisure = classes({ pitch = "pitch", playground = "playground", stadium = "stadium sports_centre", track = "track" }),
  amenity = classes({ school = "school", university = "university", college = "college", hospital = "hospital",
    kindergarten = "kindergarten", library = "library", cemetery = "grave_yard" }),
  tourism = classes({ theme_park = "theme_park", zoo = "zoo" }),
}
local cover_keys = { "natural", "landuse", "leisure" }
local use_keys = { "landuse", "leisure", "amenity", "tourism" }
local lakes = set("reservoir basin")

-- The zoom from which an area of some square metres is more than a few dots.
local function zoom_of(way, least)
  local area = way:Area()
  local zoom = 14
  for _, one in ipairs({ { 4e7, 4 }, { 1e7, 6 }, { 2e6, 8 }, { 4e5, 9 }, { 1e5, 10 }, { 2e4, 11 }, { 5e3, 12 }, { 1e3, 13 } }) do
    if area >= one[1] then zoom = one[2]; break end
  end
  return math.max(zoom, least)
end

local function write_area(way, layer, class, least)
  way:Layer(layer, true)
  way:MinZoom(zoom_of(way, least))
  way:Attribute("class", class)
end

-- Writes water that is an area; returns whether the way is such.
local function write_water(way)
  local is_river = way:Find("waterway") == "riverbank" or way:Find("water") == "river"
  if not (is_river or way:Find("natural") == "water" or way:Find("waterway") == "dock" or lakes[way:Find("landuse")]
    or way:Find("leisure") == "swimming_pool") then
    return false
  end
  if way:Find("covered") == "yes" or way:Find("location") == "underground" then return true end
  write_area(way, "water", is_river and "river" or "lake", 4)
  local name = way:Find("name")
  if name ~= "" and not is_river then
    way:LayerAsCentroid("water_name")
    way:MinZoom(math.max(zoom_of(way, 6), 8))
    way:Attribute("class", "lake")
    write_name(way, name)
  end
  return true
end

local function write_surface(way)
  for _, key in ipairs(cover_keys) do
    local class = cover[key][way:Find(key)]
    if class then
      write_area(way, "landcover", class, class == "wood" and 5 or 7)
      break
    end
  end
  for _, key in ipairs(use_keys) do
    local class = use[key][way:Find(key)]
    if class then
      write_area(way, "landuse", class, 6)
      break
    end
  end
  if way:Find("boundary") == "national_park" or way:Find("leisure") == "nature_reserve" then
    way:Layer("park", true)
    way:MinZoom(zoom_of(way, 6))
    way:Attribute("class", "reserve")
  end
end

local no_building = set("no")

function way_function(way)
  write_border(way)
  local closed = way:IsClosed()
  local highway = way:Find("highway")
  if highway ~= "" then write_road(way, highway) end
  local railway = way:Find("railway")
  if rail_class[railway] then
    local is_siding = sidings[way:Find("service")]
    write_line(way, rail_class[railway], is_siding and 13 or 9, 3)
  end
  local lift = lift_class[way:Find("aerialway")]
  if lift then write_line(way, lift, 12, 3) end
  if way:Find("route") == "ferry" then write_line(way, "ferry", 8, 0) end
  local waterway = way:Find("waterway")
  if waterway ~= "" then write_stream(way, waterway) end
  local aeroway = way:Find("aeroway")
  if aeroway == "runway" or aeroway == "taxiway" or aeroway == "apron" or aeroway == "helipad" then
    way:Layer("aeroway", closed)
    way:MinZoom(10)
    way:Attribute("class", aeroway)
  end
  if not closed then return end
  if not write_water(way) then write_surface(way) end
  local building = way:Find("building")
  if building ~= "" and not no_building[building] then
    way:Layer("building", true)
    way:MinZoom(way:Area() > 2e3 and 13 or 14)
  end
  local begin = function(layer) way:LayerAsCentroid(layer) end
  write_place(way, begin)
  write_house(way, begin)
  write_point(way, begin)
end
