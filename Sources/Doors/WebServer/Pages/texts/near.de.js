/** The German texts of the card of a sight that comes near. */
export default {
  'near.ahead': '{distance} voraus',
  'near.away': '{distance} entfernt',
  'near.behind': '{distance} hinter Ihnen',
  'near.gone': 'Sie sind vorbei.',
  'near.here': 'Sie sind da.',
  'near.how': 'Sie sind vorbei. Wie war es?',
  'near.left': '{distance} links',
  'near.right': '{distance} rechts',
  'near.setting': 'Wenn etwas Sehenswertes nahe ist',
  'near.sound': 'Ton',
  'near.sound.off': 'aus',
  'near.sound.speech': 'vorlesen',
  'near.sound.tone': 'ein Signal',
  'near.thanks': 'Danke. Ihre Sterne sind gespeichert.',
};
