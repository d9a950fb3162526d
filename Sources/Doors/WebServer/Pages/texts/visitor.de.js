/** The German texts for somebody without an account. */
export default {
  'visitor.of':
    'Waymark fährt mit: {device}. Hier sehen Sie, wo die Reise gerade ist, wohin sie schon führte und was in der Nähe '
    + 'liegt.',
  'visitor.ofnone':
    'Waymark fährt in einem Wohnmobil, Boot oder Bus mit. Hier sehen Sie, wo es ist, wo es schon war und was in der '
    + 'Nähe liegt.',
  'visitor.title': 'Willkommen an Bord',
  'visitor.with':
    'Mit einem Konto planen Sie Reisen mit anderen, teilen die Kosten, stimmen ab und sammeln Fotos.',
};
