/** The English texts of the card of a sight that comes near. */
export default {
  'near.ahead': '{distance} ahead',
  'near.away': '{distance} away',
  'near.behind': '{distance} behind you',
  'near.gone': 'You have passed it.',
  'near.here': 'You are there.',
  'near.how': 'You have passed it. How was it?',
  'near.left': '{distance} on the left',
  'near.right': '{distance} on the right',
  'near.setting': 'When a sight comes near',
  'near.sound': 'Sound',
  'near.sound.off': 'off',
  'near.sound.speech': 'read aloud',
  'near.sound.tone': 'a tone',
  'near.thanks': 'Thank you. Your stars are kept.',
};
