/** The German texts of the map of all devices. */
export default {
  'fleet.all': 'Alle zeigen',
  'fleet.count': '{live} melden sich, {silent} nicht',
  'fleet.live': 'meldet sich',
  'fleet.nofix': 'noch ohne Position',
  'fleet.search': 'Geräte suchen',
  'fleet.stands': 'steht',
  'fleet.title': 'Geräte',
  'fleet.unknown': 'Es gibt kein Gerät namens {name}.',
};
