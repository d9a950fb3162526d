/** The English texts of the player of trips. */
export default {
  'player.arrival': 'Arrival',
  'player.course': 'Course up',
  'player.departure': 'Departure',
  'player.follow': 'Follow',
  'player.keys': 'Space plays and pauses, ← and → go back and on, + and − change the speed.',
  'player.list': 'What happened on the way',
  'player.over': 'over {n}',
  'player.passed': 'Passed {name}',
  'player.stop': 'Stop',
  'player.tilt': 'Tilt',
  'player.title': 'Player',
};
