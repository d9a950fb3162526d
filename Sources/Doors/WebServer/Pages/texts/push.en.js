/** The English texts of notifications in a browser. */
export default {
  'push.arrived': 'Notifications reach this browser.',
  'push.denied': 'This browser does not allow notifications from this page. Allow them in its settings for this page.',
  'push.fault': 'The last notification did not reach {service}.',
  'push.gone': 'That browser no longer takes notifications, and was removed. Switch them on again in it.',
  'push.insecure': 'Browsers allow this only over HTTPS. Ask who runs this Waymark for an address that begins with'
    + ' https://.',
  'push.install': 'On an iPhone or iPad, add this page to the home screen first, and open it from there.',
  'push.none': 'This browser cannot get notifications while the page is closed.',
  'push.nonet': 'The browser cannot reach its push service. This needs the internet; without it, your notifications'
    + ' wait on this page.',
  'push.noworker': 'This browser runs nothing in the background, as in a private window.',
  'push.off': 'Who runs this Waymark has switched off notifications in browsers.',
  'push.on': 'Notify this browser',
  'push.on.hint': 'Also while the page is closed. The browser’s maker passes the notifications on, and cannot'
    + ' read them.',
  'push.removed': 'That browser is no longer notified.',
  'push.sent': 'Sent. It arrives within seconds.',
  'push.since': 'since {time}',
  'push.test': 'Try it',
  'push.title': 'Notifications while the page is closed',
  'push.unreachable': 'Waymark cannot reach {service}. This needs the internet; without it, your notifications wait on'
    + ' this page.',
  'reason.push.subscribe.3': 'Another person is notified in this browser, or your session has ended.'
    + ' Load the page again.',
  'reason.push.subscribe.5': 'You are notified in as many browsers as possible. Remove one of them first.',
};
