/** The German texts of notifications in a browser. */
export default {
  'push.arrived': 'Mitteilungen erreichen diesen Browser.',
  'push.denied': 'Dieser Browser erlaubt keine Mitteilungen von dieser Seite. Erlauben Sie sie in seinen Einstellungen'
    + ' für diese Seite.',
  'push.fault': 'Die letzte Mitteilung hat {service} nicht erreicht.',
  'push.gone': 'Jener Browser nimmt keine Mitteilungen mehr an und wurde entfernt. Schalten Sie sie dort wieder ein.',
  'push.insecure': 'Browser erlauben das nur über HTTPS. Fragen Sie, wer dieses Waymark betreibt, nach einer Adresse,'
    + ' die mit https:// beginnt.',
  'push.install': 'Legen Sie diese Seite auf einem iPhone oder iPad zuerst auf den Home-Bildschirm, und öffnen Sie sie'
    + ' von dort.',
  'push.none': 'Dieser Browser bekommt keine Mitteilungen, solange die Seite geschlossen ist.',
  'push.nonet': 'Der Browser erreicht seinen Push-Dienst nicht. Dazu braucht es das Internet; ohne es warten Ihre'
    + ' Mitteilungen auf dieser Seite.',
  'push.noworker': 'Dieser Browser lässt nichts im Hintergrund laufen, wie in einem privaten Fenster.',
  'push.off': 'Wer dieses Waymark betreibt, hat Mitteilungen in Browsern abgeschaltet.',
  'push.on': 'Diesen Browser benachrichtigen',
  'push.on.hint': 'Auch solange die Seite geschlossen ist. Der Hersteller des Browsers reicht die Mitteilungen weiter'
    + ' und kann sie nicht lesen.',
  'push.removed': 'Jener Browser wird nicht mehr benachrichtigt.',
  'push.sent': 'Gesendet. Es kommt in einigen Sekunden an.',
  'push.since': 'seit {time}',
  'push.test': 'Ausprobieren',
  'push.title': 'Mitteilungen, solange die Seite geschlossen ist',
  'push.unreachable': 'Waymark erreicht {service} nicht. Dazu braucht es das Internet; ohne es warten Ihre Mitteilungen'
    + ' auf dieser Seite.',
  'reason.push.subscribe.3': 'Jemand anderes wird in diesem Browser benachrichtigt, oder Ihre Sitzung ist zu Ende.'
    + ' Laden Sie die Seite neu.',
  'reason.push.subscribe.5': 'Sie werden in so vielen Browsern benachrichtigt wie möglich. Entfernen Sie zuerst einen.',
};
