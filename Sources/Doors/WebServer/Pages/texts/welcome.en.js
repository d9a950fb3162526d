/** The English texts of the first hour. */
export default {
  'welcome.aboard': 'Are you on board?',
  'welcome.aboard.done': 'You travel with {device}.',
  'welcome.aboard.why': 'Then the map follows your journey, and what happens on the way is told to you.',
  'welcome.aboard.with': 'I travel with {device}',
  'welcome.follow': 'Who would you like to follow?',
  'welcome.follow.do': 'Follow the selected people',
  'welcome.follow.done': 'You now follow {n#one person#{n} people}.',
  'welcome.follow.whom': 'Follow these people',
  'welcome.follow.why': 'Their posts come into your feed.',
  'welcome.picture': 'Add a picture of you',
  'welcome.picture.choose': 'Choose a picture',
  'welcome.picture.done': 'Your picture is there.',
  'welcome.picture.sending': 'The picture is being sent …',
  'welcome.picture.why': 'Others recognise you by it, on the map and in plans.',
  'welcome.step': 'Step {n} of {all}',
  'welcome.title': 'Welcome, {name}',
};
