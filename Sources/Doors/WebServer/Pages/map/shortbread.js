/** The schema Shortbread: of VersaTiles and of Geofabrik's tiles. */
import { get, among, all, translated, either, isOn, isPoint, isLine, isArea, language } from './words.js';

const kind = either('kind', ['literal', '']);
const written = either('name', ['literal', '']);
const size = ['to-number', either('population', 0)];

const WAYS = {
  motorway: 'motorway motorway_link', trunk: 'trunk trunk_link', primary: 'primary primary_link',
  secondary: 'secondary secondary_link', tertiary: 'tertiary tertiary_link',
  minor: 'residential unclassified living_street pedestrian busway bus_guideway', service: 'service taxiway',
  track: 'track', path: 'path footway cycleway steps bridleway', rail: 'rail narrow_gauge',
  tram: 'tram light_rail subway funicular monorail', runway: 'runway',
};

/** The words for points, by the key of OpenStreetMap that holds them. */
const POINTS = {
  amenity: {
    parking: 'parking', church: 'place_of_worship', toilets: 'toilets', transport: 'bus_station ferry_terminal',
    food: 'restaurant cafe fast_food bar pub food_court biergarten ice_cream', fuel: 'fuel charging_station',
    care: 'hospital pharmacy clinic doctors', shop: 'marketplace', sight: 'theatre arts_centre',
    office: 'townhall post_office police fire_station bank courthouse school university college library',
  },
  tourism: {
    view: 'viewpoint', sight: 'museum attraction zoo theme_park gallery artwork',
    bed: 'hotel hostel guest_house motel chalet apartment camp_site caravan_site alpine_hut',
  },
  historic: { sight: 'castle ruins monument memorial fort archaeological_site' },
  shop: {
    shop: 'supermarket convenience bakery butcher mall department_store clothes chemist books electronics bicycle '
      + 'sports',
  },
  leisure: { sport: 'swimming_pool sports_centre stadium' },
};

/** @returns {Record<string, import('./schemas.js').Part[]>} */
export function shortbread() {
  const name = either(`name_${language()}`, written);
  const isTunnel = isOn('tunnel');
  return {
    surface: [{
      layer: 'land', only: isArea,
      kind: translated(kind, {
        wood: 'forest', grass: 'grass grassland meadow scrub heath park garden golf_course village_green '
          + 'recreation_ground greenfield',
        farm: 'farmland orchard vineyard farmyard allotments plant_nursery greenhouse_horticulture', sand: 'beach sand',
        rock: 'bare_rock scree shingle', wetland: 'swamp bog string_bog wet_meadow marsh', houses: 'residential',
        works: 'industrial railway quarry landfill brownfield', shops: 'commercial retail',
          graves: 'cemetery grave_yard',
        sport: 'playground miniature_golf',
      }),
    }, {
      layer: 'sites', only: isArea,
      kind: translated(kind, { civic: 'school university college hospital kindergarten', sport: 'sports_center' }),
    }],
    water: [
      { layer: 'ocean', only: isArea },
      { layer: 'water_polygons', only: all(isArea, ['!=', kind, 'glacier'], ['!', isTunnel]) },
    ],
    ice: [{ layer: 'water_polygons', only: all(isArea, ['==', kind, 'glacier']) }],
    stream: [{
      layer: 'water_lines', only: all(isLine, ['!', isTunnel]),
      rank: translated(kind, { river: 'river', canal: 'canal' }, 'stream'),
    }],
    runway: [{
      layer: 'streets', only: all(isLine, among(kind, 'runway', 'taxiway')),
      rank: translated(kind, { runway: 'runway' }, 'taxiway'),
    }],
    apron: [{ layer: 'street_polygons', only: all(isArea, among(kind, 'runway', 'taxiway')) }],
    square: [{ layer: 'street_polygons', only: all(isArea, among(kind, 'pedestrian', 'service')) }],
    building: [{ layer: 'buildings', only: isArea }],
    way: [{
      layer: 'streets', only: all(isLine, ['!', among(kind, 'runway', 'taxiway')]), rank: translated(kind, WAYS),
        isTunnel,
      isBridge: isOn('bridge'), isLink: isOn('link'),
    }, {
      layer: 'ferries', only: isLine, rank: 'ferry', isTunnel: false, isBridge: false, isLink: false,
    }, {
      layer: 'aerialways', only: isLine, rank: 'lift', isTunnel: false, isBridge: false, isLink: false,
    }],
    border: [{
      layer: 'boundaries', only: all(isLine, ['!', isOn('maritime')]), isDisputed: isOn('disputed'),
      rank: ['step', ['to-number', get('admin_level')], 'country', 3, 'state', 5, ''],
    }],
    house: [{ layer: 'addresses', only: isPoint, name: either('housenumber', 'number') }],
    place: [{
      layer: 'place_labels', only: isPoint, name, order: ['-', 10_000_000, size],
      kind: translated(kind, {
        city: 'capital state_capital city', town: 'town', village: 'village',
        hamlet: 'hamlet isolated_dwelling farm locality', suburb: 'suburb', quarter: 'quarter neighbourhood',
          island: 'island',
      }),
    }, {
      layer: 'boundary_labels', only: isPoint, name, order: 0,
      kind: ['step', ['to-number', get('admin_level')], 'country', 3, 'state'],
    }],
    wayName: [{
      layer: 'street_labels', only: isLine, name: written, ref: either('ref', ['literal', '']),
        rank: translated(kind, WAYS),
    }],
    streamName: [{ layer: 'water_lines_labels', only: isLine, name: written }],
    lakeName: [{ layer: 'water_polygons_labels', only: isPoint, name, isSea: false }],
    point: [
      {
        layer: 'pois', only: isPoint, name, order: 10,
        kind: Object.entries(POINTS).reduceRight(
          (rest, [key, table]) => translated(either(key, ['literal', '']), table, rest), /** @type {any} */ ('')),
      },
      {
        layer: 'public_transport', only: isPoint, name, order: 20, kind: 'transport',
      },
    ],
    peak: [],
  };
}
