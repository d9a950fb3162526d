/** The English texts about areas of the map that a phone keeps. */
export default {
  'keep.areas': 'Kept on this phone',
  'keep.counting': 'Counting …',
  'keep.done': '{name} is kept: {size}.',
  'keep.facts': '{size} · {n#one tile#{n} tiles}',
  'keep.failed': 'Nothing was kept, because a tile could not be fetched. Try it again.',
  'keep.full': 'There is not enough space. Remove another area, or zoom in.',
  'keep.insecure': 'This browser keeps nothing here. Open the pages at an address that begins with https.',
  'keep.keep': 'Keep it',
  'keep.large': 'This area is too large. Zoom in to what you need.',
  'keep.none': 'No area is kept.',
  'keep.nothing': 'There is no street map of this area on the machine.',
  'keep.offline': 'There is no connection. You can keep areas once it is back.',
  'keep.remove': 'Remove {name}',
  'keep.takes': 'What you see takes about {size} ({n#one tile#{n} tiles}). {left} are left for areas.',
  'keep.title': 'Keep this area on this phone',
  'keep.why': 'You see its streets then without a connection, at all zoom levels.',
};
