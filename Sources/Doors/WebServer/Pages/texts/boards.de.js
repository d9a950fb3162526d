/** The German texts about boards that send their events to a centre. */
export default {
  'boards': 'Boards und Zentrale',
  'boards.add': 'Board hinzufügen',
  'boards.centre': 'Zentrale dieses Boards',
  'boards.here': '{n#ein Ereignis ist hier#{n} Ereignisse sind hier}',
  'boards.left': '{n#ein Ereignis wartet#{n} Ereignisse warten}',
  'boards.make': 'Geheimnis erstellen',
  'boards.missing': '{n#ein Ereignis wurde auf dem Board gelöscht, bevor es ankam#{n} Ereignisse wurden auf dem Board '
    + 'gelöscht, bevor sie ankamen}',
  'boards.name': 'Name des Boards',
  'boards.name.hint': 'Buchstaben, Ziffern, Binde- und Unterstriche, etwa van. Ein Board, das schon ein Geheimnis hat, '
    + 'bekommt ein neues.',
  'boards.none': 'Kein Board sendet seine Ereignisse hierher, und dieses sendet seine an keine Zentrale.',
  'boards.once': 'Niemand sieht dieses Geheimnis noch einmal. Wenn es verloren geht, erstellen Sie ein neues.',
  'boards.other': 'nicht gleich',
  'boards.proven': '{n#Das Protokoll ist vollständig und unverändert.#Alle {n} Protokolle sind vollständig und '
    + 'unverändert.}',
  'boards.same': 'vollständig und unverändert',
  'boards.secret': 'Schreiben Sie dieses Geheimnis auf dem Board in die Datei /etc/waymark/uplink.secret, die nur der '
    + 'Benutzer waymark lesen darf:',
  'boards.seen': 'zuletzt gehört',
  'boards.settings': 'Ergänzen Sie dies auf dem Board in /etc/waymark/waymark.yaml, und starten Sie den Dienst neu:',
  'boards.silent': 'Es hat ein Geheimnis und hat noch nichts gesendet.',
  'boards.there': '{n} von {all} Ereignissen sind dort',
  'boards.title': 'Das Board {name}',
  'boards.verify': 'Prüfen',
  'boards.waiting': 'erwartet',
  'boards.wrong': 'Die Ereignisse von {name} sind nicht die, die gesendet wurden.',
};
