/** The English texts of the map of all devices. */
export default {
  'fleet.all': 'Show all',
  'fleet.count': '{live} live, {silent} silent',
  'fleet.live': 'live',
  'fleet.nofix': 'no position yet',
  'fleet.search': 'Search the devices',
  'fleet.stands': 'stands',
  'fleet.title': 'Devices',
  'fleet.unknown': 'There is no device named {name}.',
};
