/** The German texts about areas of the map that a phone keeps. */
export default {
  'keep.areas': 'Auf diesem Telefon behalten',
  'keep.counting': 'Wird gezählt …',
  'keep.done': '{name} ist gespeichert: {size}.',
  'keep.facts': '{size} · {n#eine Kachel#{n} Kacheln}',
  'keep.failed': 'Nichts wurde gespeichert, weil eine Kachel fehlt. Versuchen Sie es noch einmal.',
  'keep.full': 'Der Platz reicht nicht. Entfernen Sie ein anderes Gebiet, oder zoomen Sie hinein.',
  'keep.insecure': 'Dieser Browser behält hier nichts. Öffnen Sie die Seiten unter einer Adresse mit https.',
  'keep.keep': 'Behalten',
  'keep.large': 'Dieses Gebiet ist zu groß. Zoomen Sie auf das, was Sie brauchen.',
  'keep.none': 'Kein Gebiet ist gespeichert.',
  'keep.nothing': 'Von diesem Gebiet hat das Gerät keine Straßenkarte.',
  'keep.offline': 'Keine Verbindung. Sie können Gebiete behalten, sobald sie wieder da ist.',
  'keep.remove': '{name} entfernen',
  'keep.takes': 'Was Sie sehen, braucht etwa {size} ({n#eine Kachel#{n} Kacheln}). Für Gebiete sind {left} frei.',
  'keep.title': 'Dieses Gebiet auf diesem Telefon behalten',
  'keep.why': 'Sie sehen seine Straßen dann auch ohne Verbindung, in allen Zoomstufen.',
};
