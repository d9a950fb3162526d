/** The German texts of the player of trips. */
export default {
  'player.arrival': 'Ankunft',
  'player.course': 'Kurs oben',
  'player.departure': 'Abfahrt',
  'player.follow': 'Folgen',
  'player.keys': 'Leertaste spielt und hält an, ← und → gehen zurück und weiter, + und − ändern das Tempo.',
  'player.list': 'Was unterwegs geschah',
  'player.over': 'über {n}',
  'player.passed': '{name} passiert',
  'player.stop': 'Halt',
  'player.tilt': 'Kippen',
  'player.title': 'Abspielgerät',
};
