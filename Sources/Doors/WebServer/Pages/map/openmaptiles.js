/** The schema OpenMapTiles: of tilemaker, Planetiler and MapTiler. */
import { get, among, translated, either, isOn, isPoint, isLine, isArea, language } from './words.js';

const kind = get('class');
const isTunnel = ['==', get('brunnel'), 'tunnel'];
const written = either('name', 'name:latin', ['literal', '']);

/** The words for points: of the finer key `subclass`, and of `class` for the rest. */
const FINE = {
  parking: 'parking', view: 'viewpoint', church: 'place_of_worship',
  transport: 'bus_stop station halt bus_station tram_stop ferry_terminal',
  food: 'restaurant cafe fast_food bar pub food_court biergarten ice_cream',
  bed: 'hotel hostel guest_house motel chalet apartment camp_site caravan_site alpine_hut',
  shop: 'supermarket convenience bakery butcher mall department_store clothes chemist marketplace',
  fuel: 'fuel charging_station', care: 'hospital pharmacy clinic doctors',
  sight: 'museum castle ruins attraction monument zoo theme_park gallery theatre artwork memorial',
  office: 'townhall post_office public_building police fire_station bank courthouse school university library',
  sport: 'swimming swimming_pool sports_centre stadium', toilets: 'toilets',
};
const COARSE = {
  fuel: 'fuel', sight: 'castle attraction museum', care: 'hospital', bed: 'lodging campsite', shop: 'grocery shop',
  food: 'cafe bar beer fast_food',
};

/** @returns {Record<string, import('./schemas.js').Part[]>} */
export function openMapTiles() {
  const name = either(`name:${language()}`, `name_${language()}`, written);
  return {
    surface: [
      {
        layer: 'landcover', only: isArea,
        kind: translated(kind, {
          wood: 'wood forest', grass: 'grass', farm: 'farmland', sand: 'sand', rock: 'rock', ice: 'ice',
            wetland: 'wetland',
        }),
      },
      { layer: 'park', only: isArea, kind: 'reserve' },
      {
        layer: 'landuse', only: isArea,
        kind: translated(kind, {
          houses: 'residential suburb neighbourhood quarter', works: 'industrial railway quarry',
            shops: 'commercial retail',
          civic: 'school university college hospital kindergarten library', graves: 'cemetery',
          sport: 'pitch playground stadium track theme_park zoo',
        }),
      },
    ],
    water: [{ layer: 'water', only: ['!', isTunnel] }],
    stream: [{
      layer: 'waterway', only: ['!', isTunnel], rank: translated(kind, { river: 'river', canal: 'canal' }, 'stream'),
    }],
    runway: [{ layer: 'aeroway', only: isLine, rank: translated(kind, { runway: 'runway' }, 'taxiway') }],
    apron: [{ layer: 'aeroway', only: isArea }],
    building: [{ layer: 'building', only: isArea }],
    way: [{
      layer: 'transportation', only: isLine, isTunnel, isBridge: ['==', get('brunnel'), 'bridge'], isLink: isOn('ramp'),
      rank: translated(kind, {
        motorway: 'motorway', trunk: 'trunk', primary: 'primary', secondary: 'secondary', tertiary: 'tertiary',
        minor: 'minor minor_road raceway busway bus_guideway', service: 'service', track: 'track',
          path: 'path pedestrian',
        rail: 'rail', tram: 'transit', ferry: 'ferry', lift: 'aerialway cable_car gondola',
      }),
    }],
    border: [{
      layer: 'boundary', only: ['!', isOn('maritime')], isDisputed: isOn('disputed'),
      rank: ['step', ['to-number', get('admin_level')], 'country', 3, 'state', 5, ''],
    }],
    house: [{ layer: 'housenumber', name: get('housenumber') }],
    place: [{
      layer: 'place', name, order: either('rank', 15),
      kind: translated(kind, {
        country: 'country', state: 'state province', city: 'city', town: 'town', village: 'village',
        hamlet: 'hamlet isolated_dwelling locality farm', suburb: 'suburb quarter borough', quarter: 'neighbourhood',
        island: 'island islet',
      }),
    }],
    wayName: [{
      layer: 'transportation_name', only: isLine, name: written, ref: get('ref'),
      rank: translated(kind, {
        motorway: 'motorway', trunk: 'trunk', primary: 'primary', secondary: 'secondary', tertiary: 'tertiary',
        minor: 'minor minor_road', service: 'service', track: 'track', path: 'path pedestrian',
      }),
    }],
    // tilemaker names waters in a layer of their own, others on the waters.
    streamName: [
      { layer: 'waterway', only: isLine, name: written },
      { layer: 'water_name', only: isLine, name: written },
    ],
    lakeName: [{ layer: 'water_name', only: isPoint, name, isSea: among(kind, 'ocean', 'sea') }],
    point: [{
      layer: 'poi', only: isPoint, name, order: either('rank', 99),
      kind: translated(get('subclass'), FINE, translated(kind, COARSE)),
    }],
    peak: [{ layer: 'mountain_peak', only: isPoint, name, height: get('ele') }],
  };
}
