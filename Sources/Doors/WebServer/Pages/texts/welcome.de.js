/** The German texts of the first hour. */
export default {
  'welcome.aboard': 'Sind Sie an Bord?',
  'welcome.aboard.done': 'Sie reisen mit {device}.',
  'welcome.aboard.why': 'Dann folgt die Karte Ihrer Reise, und Sie erfahren, was unterwegs geschieht.',
  'welcome.aboard.with': 'Ich reise mit {device}',
  'welcome.follow': 'Wem möchten Sie folgen?',
  'welcome.follow.do': 'Ausgewählten folgen',
  'welcome.follow.done': 'Sie folgen jetzt {n#einer Person#{n} Personen}.',
  'welcome.follow.whom': 'Diesen Leuten folgen',
  'welcome.follow.why': 'Ihre Beiträge erscheinen dann bei Ihnen.',
  'welcome.picture': 'Ein Bild von Ihnen',
  'welcome.picture.choose': 'Ein Bild wählen',
  'welcome.picture.done': 'Ihr Bild ist da.',
  'welcome.picture.sending': 'Das Bild wird gesendet …',
  'welcome.picture.why': 'Daran erkennen andere Sie, auf der Karte und in Plänen.',
  'welcome.step': 'Schritt {n} von {all}',
  'welcome.title': 'Willkommen, {name}',
};
