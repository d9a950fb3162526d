/** The English texts for somebody without an account. */
export default {
  'visitor.of': 'Waymark travels with {device}. Here you see where it is, where it has been, and the sights around it.',
  'visitor.ofnone':
    'Waymark travels with a van, a boat or a bus. Here you will see where it is, where it has been, and the sights '
    + 'around it.',
  'visitor.title': 'Welcome aboard',
  'visitor.with': 'With an account, you plan journeys with others, share their costs, vote, and keep photos.',
};
