/** The German texts of the heat map and of a year. */
export default {
  'heat.all': 'Alle Jahre',
  'heat.keys': 'Je heller, desto mehr Fahrten. Die Pfeiltasten bewegen die Karte, + und − ändern den Maßstab.',
  'heat.none': 'Hier ist keine Fahrt vorbeigekommen.',
  'heat.pending': '{n#Eine ältere Fahrt wird#{n} ältere Fahrten werden} noch gezählt.',
  'heat.title': 'Wo Sie waren',
  'heat.years': 'Jahre der Karte',
  'year.best': 'Am weitesten kamen Sie im {month}: {distance}.',
  'year.countries': 'Länder',
  'year.longest': 'Ihr längster Tag war {day}: {distance}.',
  'year.map': 'Eine Karte mit {n#einem Quadrat#{n} Quadraten}, durch die Fahrten von {year} führten.',
  'year.months': 'Strecke nach Monaten',
  'year.none': 'Von {year} ist keine Fahrt aufgezeichnet.',
  'year.places.more': 'und {n#ein weiterer#{n} weitere}',
  'year.places.new': 'Neue Orte',
  'year.squares': 'Fahrten führten durch {n#ein Quadrat#{n} Quadrate} von etwa 5 km, davon {fresh} zum ersten Mal.',
  'year.title': 'Das Jahr {year}',
};
