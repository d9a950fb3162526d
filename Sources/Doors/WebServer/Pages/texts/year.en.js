/** The English texts of the heat map and of a year. */
export default {
  'heat.all': 'All years',
  'heat.keys': 'The brighter, the more trips. The arrow keys move the map, + and − change its scale.',
  'heat.none': 'No trip has passed here.',
  'heat.pending': '{n#One older trip is#{n} older trips are} still to be counted.',
  'heat.title': 'Where you have been',
  'heat.years': 'Years of the map',
  'year.best': 'You went farthest in {month}: {distance}.',
  'year.countries': 'Countries',
  'year.longest': 'Your longest day was {day}: {distance}.',
  'year.map': 'A map of {n#one square#{n} squares} that trips of {year} passed.',
  'year.months': 'Distance by month',
  'year.none': 'No trip of {year} is recorded.',
  'year.places.more': 'and {n#one more#{n} more}',
  'year.places.new': 'New places',
  'year.squares': 'Trips passed {n#one square#{n} squares} of about 5 km; {fresh} of them for the first time.',
  'year.title': 'The year {year}',
};
