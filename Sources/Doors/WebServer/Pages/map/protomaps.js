/** The schema of the Protomaps basemap, versions 3 and 4. In files of version 3, keys begin with `pmap:`. */
import { get, among, all, translated, either, isOn, isPoint, isLine, isArea, language } from './words.js';

const kind = either('kind', 'pmap:kind', ['literal', '']);
const fine = either('kind_detail', 'pmap:kind_detail', 'highway', ['literal', '']);
const isTunnel = ['any', isOn('is_tunnel'), ['<', ['to-number', either('pmap:level', 0)], 0]];
const written = either('name', ['literal', '']);

const WAYS = {
  motorway: 'motorway motorway_link', trunk: 'trunk trunk_link', primary: 'primary primary_link',
  secondary: 'secondary secondary_link', tertiary: 'tertiary tertiary_link',
  minor: 'residential unclassified living_street road raceway busway', service: 'service', track: 'track',
  path: 'path footway cycleway steps bridleway pedestrian corridor sidewalk crossing',
  tram: 'tram light_rail subway funicular monorail',
};

/** Without the finer key, as at low zooms, the kind tells. */
const COARSE = {
  motorway: 'highway', primary: 'major_road', tertiary: 'medium_road', minor: 'minor_road', path: 'path', rail: 'rail',
  ferry: 'ferry', lift: 'aerialway',
};

const POINTS = {
  parking: 'parking', view: 'viewpoint', church: 'place_of_worship', toilets: 'toilets', peak: 'peak volcano',
  transport: 'bus_stop station halt bus_station tram_stop ferry_terminal train_station',
  food: 'restaurant cafe fast_food bar pub food_court biergarten ice_cream',
  bed: 'hotel hostel guest_house motel chalet camp_site caravan_site alpine_hut',
  shop: 'supermarket convenience bakery butcher mall department_store clothes chemist marketplace books electronics',
  fuel: 'fuel charging_station', care: 'hospital pharmacy clinic doctors',
  sight: 'museum castle ruins attraction monument zoo theme_park gallery theatre artwork memorial landmark',
  office: 'townhall post_office police fire_station bank courthouse school university college library',
  sport: 'swimming_pool sports_centre stadium',
};

/** @returns {Record<string, import('./schemas.js').Part[]>} */
export function protomaps() {
  const name = either(`name:${language()}`, written);
  const rank = translated(fine, WAYS, translated(kind, COARSE));
  const surface = translated(kind, {
    wood: 'forest wood', grass: 'grass grassland meadow scrub park garden golf_course village_green recreation_ground',
    farm: 'farmland orchard vineyard farmyard allotments', sand: 'beach sand barren', rock: 'bare_rock scree',
    ice: 'glacier', wetland: 'wetland marsh', houses: 'residential urban_area neighbourhood',
    works: 'industrial railway quarry military naval_base airfield', shops: 'commercial retail pedestrian',
    civic: 'school university college hospital kindergarten library', graves: 'cemetery',
    reserve: 'nature_reserve protected_area national_park', sport: 'pitch playground stadium zoo theme_park',
  });
  return {
    land: [{ layer: 'earth', only: isArea }],
    surface: [
      { layer: 'landcover', only: isArea, kind: surface },
      { layer: 'natural', only: isArea, kind: surface },
      { layer: 'landuse', only: isArea, kind: surface },
    ],
    water: [{ layer: 'water', only: isArea }],
    stream: [{
      layer: 'water', only: all(isLine, ['!', isTunnel]),
        rank: translated(kind, { river: 'river', canal: 'canal' }, 'stream'),
    }, {
      layer: 'physical_line', only: all(isLine, among(kind, 'river', 'stream', 'canal', 'drain', 'ditch')),
      rank: translated(kind, { river: 'river', canal: 'canal' }, 'stream'),
    }],
    runway: [{
      layer: 'roads', only: all(isLine, ['==', kind, 'aeroway']),
        rank: translated(fine, { runway: 'runway' }, 'taxiway'),
    }],
    apron: [{ layer: 'landuse', only: all(isArea, among(kind, 'aerodrome', 'runway', 'taxiway')) }],
    building: [{ layer: 'buildings', only: isArea }],
    way: ['roads', 'transit'].map((layer) => ({
      layer, only: all(isLine, ['!=', kind, 'aeroway']), rank, isTunnel,
      isBridge: ['any', isOn('is_bridge'), ['>', ['to-number', either('pmap:level', 0)], 0]],
      isLink: isOn('is_link', 'pmap:link'),
    })),
    border: [{
      layer: 'boundaries', only: isLine, isDisputed: isOn('disputed'),
      rank: [
        'step', ['to-number', either('kind_detail', 'pmap:min_admin_level', 'admin_level',
          ['match', kind, 'country', 2, 4])], 'country', 3, 'state', 5, '',
      ],
    }],
    house: [{
      layer: 'buildings', only: all(isPoint, ['has', 'addr_housenumber']), name: get('addr_housenumber'),
    }],
    place: [{
      layer: 'places', only: isPoint, name,
        order: ['-', 20, ['to-number', either('population_rank', 'pmap:population_rank', 5)]],
      kind: translated(fine, {
        city: 'city', town: 'town', village: 'village', hamlet: 'hamlet isolated_dwelling farm locality',
        suburb: 'suburb borough', quarter: 'neighbourhood quarter',
      }, translated(kind, {
        country: 'country', state: 'region state', town: 'locality', suburb: 'macrohood', quarter: 'neighbourhood',
      })),
    }],
    wayName: [{
      layer: 'roads', only: all(isLine, among(kind,
        ...'highway major_road medium_road minor_road path other'.split(' '))),
      name: written, ref: either('ref', 'shield_text', 'pmap:shield_text'), rank,
    }],
    streamName: ['water', 'physical_line'].map((layer) => ({ layer, only: isLine, name: written })),
    lakeName: ['water', 'physical_point'].map((layer) => ({
      layer, name, isSea: among(kind, 'ocean', 'sea', 'bay', 'strait', 'fjord'),
      only: all(isPoint, among(kind, 'ocean', 'sea', 'bay', 'strait', 'fjord', 'lake', 'water', 'reservoir', 'basin')),
    })),
    point: [{
      layer: 'pois', only: all(isPoint, ['!', among(kind, 'peak', 'volcano')]), name, kind: translated(kind, POINTS),
      order: ['to-number', either('min_zoom', 'pmap:min_zoom', 16)],
    }],
    peak: ['pois', 'physical_point'].map((layer) => ({
      layer, only: all(isPoint, among(kind, 'peak', 'volcano')), name, height: either('elevation', 'ele'),
    })),
  };
}
