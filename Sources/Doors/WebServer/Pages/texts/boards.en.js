/** The English texts about boards that send their events to a centre. */
export default {
  'boards': 'Boards and centre',
  'boards.add': 'Add a board',
  'boards.centre': 'This machine’s centre',
  'boards.here': '{n#one event is here#{n} events are here}',
  'boards.left': '{n#one event waits#{n} events wait}',
  'boards.make': 'Make its secret',
  'boards.missing': '{n#one event was deleted on the board before it came#{n} events were deleted on the board before '
    + 'they came}',
  'boards.name': 'Name of the board',
  'boards.name.hint': 'Letters, digits, hyphens and underscores, such as van. A board that has a secret gets a new '
    + 'one.',
  'boards.none': 'No board sends its events here, and this machine sends its own to no centre.',
  'boards.once': 'Nobody sees this secret again. If it is lost, make a new one.',
  'boards.other': 'not the same',
  'boards.proven': '{n#The log is complete and unchanged.#All {n} logs are complete and unchanged.}',
  'boards.same': 'complete and unchanged',
  'boards.secret': 'Put this secret into /etc/waymark/uplink.secret on the board, which only the user waymark may '
    + 'read:',
  'boards.seen': 'last heard',
  'boards.settings': 'Add this to /etc/waymark/waymark.yaml on the board, and restart it:',
  'boards.silent': 'It has a secret and has sent nothing yet.',
  'boards.there': '{n} of {all} events are there',
  'boards.title': 'The board {name}',
  'boards.verify': 'Verify',
  'boards.waiting': 'expected',
  'boards.wrong': 'The events of {name} are not the ones that were sent.',
};
