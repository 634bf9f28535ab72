import { html } from '../html.ts';
import type { Texts } from './en.ts';

const forComputers = (count: number) => (count === 1 ? 'einen Computer' : `${count} Computer`);
const allTaken = (slots: number) => (slots === 1 ? 'und der ist belegt' : 'und alle sind belegt');

export const german: Texts = {
  languageName: 'Deutsch',
  languages: 'Sprache',
  error: 'Fehler',
  skip: 'Zum Inhalt springen',
  help: (support) => html`Fragen? ${support}`,
  supportPage: 'Hilfe vom Support',
  back: 'Alle Lizenzen',
  cancel: 'Behalten',
  stop: 'Keine Datei holen',
  ask: {
    title: 'Ihre Lizenzen finden',
    lead: 'Sehen Sie Ihre Lizenzen und Computer, und geben Sie einen Computer frei, den Sie nicht mehr benutzen.',
    field: {
      label: 'E-Mail-Adresse',
      hint: 'Die Adresse, die Sie beim Kauf angegeben haben.',
      button: 'Code zusenden',
    },
    privacy:
      'Wir senden einen Code an diese Adresse, wenn es Lizenzen für sie gibt. Diese Seite sieht für jede Adresse gleich aus.',
    missing: 'Geben Sie Ihre E-Mail-Adresse ein.',
    invalid: 'Das ist keine E-Mail-Adresse. Sie hat ein @ und keine Leerzeichen, wie ada@example.com.',
    withoutMail: (support) =>
      support === null
        ? html`Bitten Sie den Shop, in dem Sie gekauft haben, um einen Link zu Ihren Lizenzen. Schreiben Sie von der Adresse, die Sie beim Kauf angegeben haben.`
        : html`Der Support sendet Ihnen einen Link, der Ihre Lizenzen öffnet. Schreiben Sie von der Adresse, die Sie beim Kauf angegeben haben: ${support}`,
    withoutShop:
      'Öffnen Sie die Seite des Shops, in dem Sie gekauft haben. Ihr Link steht in der Mail, mit der Ihre Lizenz kam.',
  },
  code: {
    title: 'Code eingeben',
    lead: 'Wenn es Lizenzen für die Adresse gibt, ist eine Mail mit einem Code unterwegs. Das kann einige Minuten dauern; sehen Sie auch im Spam-Ordner nach.',
    field: {
      label: 'Code aus der Mail',
      hint: '8 Zeichen, wie K7QW-2MNP. Er gilt 10 Minuten und nur in diesem Browser.',
      button: 'Anmelden',
    },
    missing: 'Geben Sie den Code aus der Mail ein.',
    notAccepted: 'Dieser Code gilt nicht. Vergleichen Sie ihn mit der Mail, oder fordern Sie einen neuen an.',
    notAsked: 'Dieser Browser hat keinen Code angefordert, oder der Code ist abgelaufen. Fordern Sie einen neuen an.',
    again: 'Neuen Code anfordern',
  },
  link: {
    title: 'Ihre Lizenzen öffnen',
    lead: 'Dieser Link gilt einmal und öffnet Ihre Lizenzen in diesem Browser.',
    button: 'Meine Lizenzen öffnen',
    notAccepted: {
      title: 'Dieser Link gilt nicht mehr',
      text: 'Er wurde schon benutzt, oder seine Zeit ist abgelaufen. Bitten Sie die Person, die ihn gesendet hat, um einen neuen.',
    },
    askForCode: 'Mit einem Code per Mail anmelden',
  },
  session: {
    signedInAs: (email) => html`Angemeldet als ${email}`,
    signOut: 'Abmelden',
    signedOut: 'Sie sind abgemeldet.',
    ended: 'Ihre Anmeldung ist abgelaufen. Melden Sie sich wieder an.',
  },
  licenses: {
    title: 'Ihre Lizenzen',
    none: 'Für diese Adresse gibt es hier keine Lizenzen. Vielleicht haben Sie mit einer anderen gekauft.',
    open: (product) => html`Computer und Einzelheiten<span class="unseen"> zu ${product}</span>`,
    sendKeys: (email) => html`Meine Schlüssel an ${email} senden`,
    keysSent: 'Eine Mail mit Ihren Lizenzschlüsseln ist unterwegs.',
    keysSentLately:
      'Ihre Lizenzschlüssel wurden vor Kurzem gesendet. Sehen Sie in Ihren Mails nach, auch im Spam-Ordner.',
    more: 'Weitere Lizenzen',
  },
  license: {
    trial: 'Testversion',
    bought: 'Gekauft',
    issued: 'Ausgestellt',
    statuses: { active: 'Aktiv', expired: 'Abgelaufen', revoked: 'Zurückgezogen' },
    ends: 'Endet',
    ended: 'Endete',
    neverEnds: 'Nie',
    beginsLater: 'Noch offen: Die Zeit beginnt mit dem ersten Computer',
    slots: 'Computer',
    slotsUsed(used, slots, isFloating) {
      const atOnce = isFloating ? ' zugleich' : '';
      return slots === null ? `${used}${atOnce}, ohne Grenze` : `${used} von ${slots}${atOnce}`;
    },
    key: 'Lizenzschlüssel',
    showKey: 'Schlüssel zeigen',
    copyKey: 'Schlüssel kopieren',
    copied: 'Kopiert',
    links: { download: 'Herunterladen', renew: 'Verlängern', receipt: 'Belege' },
    revoked: (support) =>
      html`Diese Lizenz wurde zurückgezogen. ${support === null ? 'Bitte fragen Sie den Shop, in dem Sie gekauft haben.' : html`Bitte schreiben Sie dem Support: ${support}`}`,
    expired: 'Diese Lizenz ist abgelaufen. Programme nehmen sie nicht mehr an.',
    updates: 'Updates bis',
    grace: (day) => html`Die bezahlte Zeit ist vorbei. Programme nehmen die Lizenz noch bis ${day} an.`,
    until: (day) => html` bis ${day}`,
  },
  newKey: {
    title: 'Ein neuer Schlüssel',
    button: 'Neuen Schlüssel holen',
    question: (product) => html`Neuen Schlüssel für ${product} holen?`,
    effect:
      'Der alte Schlüssel gilt dann auf keinem Computer mehr, bis der neue dort eingegeben ist; manche Programme übernehmen ihn von selbst. Holen Sie einen, wenn jemand anderes Ihren Schlüssel kennt.',
    once: 'Das geht einmal in 30 Tagen, und Sie können es nicht zurücknehmen.',
    keep: 'Den alten behalten',
    done: 'Ihre Lizenz hat einen neuen Schlüssel. Geben Sie ihn ein, wo ein Programm danach fragt.',
    doneAndMailed:
      'Ihre Lizenz hat einen neuen Schlüssel, und eine E-Mail damit ist unterwegs. Geben Sie ihn ein, wo ein Programm danach fragt.',
    refused: 'Es gibt keinen weiteren Schlüssel: Die Lizenz hat schon einen neuen, oder sie bekommt hier keinen.',
    spent: (day) => html`Einen weiteren neuen Schlüssel bekommen Sie ${day === null ? 'später' : html`ab dem ${day}`}.`,
  },
  refusals: {
    title: 'Abgewiesene Computer',
    noSlot: (device, day, slots) =>
      html`${device === null ? 'Ein Computer' : html`„${device}“`} wurde am ${day} abgewiesen: ${slots === null ? 'Alle Computer der Lizenz sind belegt' : `Die Lizenz gilt für ${forComputers(slots)}, ${allTaken(slots)}`}.`,
    because: (device, day, reason) =>
      html`${device === null ? 'Ein Computer' : html`„${device}“`} wurde am ${day} abgewiesen: ${reason}.`,
    reasons: {
      activation_rate: 'Es wurde innerhalb einer Stunde zu oft versucht',
      license_expired: 'Die Lizenz war abgelaufen',
      license_replaced: 'Ein anderer Schlüssel galt an der Stelle dessen der Lizenz',
      license_revoked: 'Die Lizenz war zurückgezogen',
      wrong_product: 'Die Lizenz gilt für ein anderes Programm',
      machine_not_activated: 'Die Lizenz war auf ihm nicht aktiviert',
      invalid_token: 'Er musste die Lizenz neu aktivieren',
      token_mismatch: 'Er musste die Lizenz neu aktivieren',
      update_not_covered: 'Die Lizenz gilt nicht für diese Version',
      feature_missing: 'Die Lizenz enthält diese Funktion nicht',
      user_required: 'Die App hat nicht gesagt, wer sie benutzt',
      user_limit: 'Alle Plätze der Lizenz sind an andere vergeben',
      meter_limit: 'Das Kontingent der Lizenz war aufgebraucht',
      meter_not_found: 'Die Lizenz enthält diese Funktion nicht',
      request_id_reused: 'Das Programm hat eine Nutzung doppelt gemeldet',
    },
    worksNow: 'Jetzt würde es gelingen: Starten Sie dort das Programm noch einmal.',
    freeOne: 'Geben Sie einen Computer frei, den Sie nicht mehr benutzen.',
  },
  devices: {
    title: 'Ihre Computer',
    none: 'Kein Computer benutzt diese Lizenz.',
    unnamed: 'Computer ohne Namen',
    first: (day) => html`Zuerst gesehen am ${day}`,
    last: (day) => html`Zuletzt gesehen am ${day}`,
    from: (country) => `(${country})`,
    running: 'Läuft gerade',
    free: (device) => html`„${device}“ freigeben`,
    tooNew: 'Er kam vor weniger als einer Stunde dazu. Sie können ihn später freigeben.',
    hasFile: (day) =>
      html`Er arbeitet ${day === null ? 'so lange wie die Lizenz' : html`bis zum ${day}`} mit einer Datei ohne Verbindung. Vorher kann ihn nur der Support freigeben.`,
    spent: (day) => html`Sie können ihn ${day === null ? 'später' : html`ab dem ${day}`} freigeben.`,
    budget: (left, of, day) =>
      html`${left === 0 ? html`Sie können ${day === null ? 'später' : html`ab dem ${day}`} wieder einen Computer freigeben` : `Sie können noch ${forComputers(left)} freigeben`}; die Lizenz erlaubt ${of} innerhalb von 30 Tagen. Ein Computer, der 30 Tage nicht benutzt wurde, zählt nicht.`,
    off: 'Der Support gibt Computer frei, die Sie nicht mehr benutzen.',
    more: 'Diese Liste zeigt 200 der Computer. Bei den anderen hilft der Support.',
  },
  users: {
    title: 'Benutzer',
    machines: (count) => (count === 1 ? 'Ein Computer' : `${count} Computer`),
    release: (user) => html`„${user}“ austragen`,
    releaseTitle: 'Benutzer austragen',
    question: (user) => html`„${user}“ austragen?`,
    effect: 'Der Platz wird für eine andere Person frei, und die Computer des Benutzers haben die Lizenz nicht mehr.',
    button: 'Diesen Benutzer austragen',
    done: 'Der Benutzer wurde ausgetragen.',
    refused: 'Der Benutzer wurde nicht ausgetragen. Die Liste unten sagt, warum.',
  },
  release: {
    title: 'Computer freigeben',
    question: (device) => html`„${device}“ freigeben?`,
    effect: 'Das Programm hat dort dann keine Lizenz mehr. Ein anderer Computer kann den Platz einnehmen.',
    running: 'Das Programm läuft dort gerade. Schließen Sie es zuerst, sonst nimmt es den Platz wieder ein.',
    costsNothing: 'Er wurde 30 Tage nicht benutzt, deshalb zählt das nicht.',
    counts: (left, of) => `Sie können innerhalb von 30 Tagen noch ${left} von ${of} freigeben. Dieser ist einer davon.`,
    button: 'Computer freigeben',
    done: 'Der Computer ist freigegeben. Starten Sie das Programm jetzt zuerst auf dem neuen Computer: Der alte nimmt den Platz wieder ein, wenn es dort läuft.',
    gone: 'Der Computer steht nicht mehr in der Liste. Es wurde nichts geändert.',
    refused: 'Der Computer wurde nicht freigegeben. Die Liste sagt, warum.',
  },
  file: {
    title: 'Ein Computer ohne Verbindung',
    lead: 'Das Programm auf diesem Computer zeigt eine Anfrage. Fügen Sie sie hier ein, und bringen Sie die Datei, die Sie erhalten, auf den Computer.',
    field: {
      label: 'Anfrage des Programms',
      hint: 'Der ganze Text, von der ersten Zeile bis zur letzten.',
      button: 'Datei holen',
    },
    missing: 'Fügen Sie die Anfrage des Programms ein.',
    notAccepted:
      'Das ist keine Anfrage des Programms für diese Lizenz. Kopieren Sie den ganzen Text, von der ersten Zeile bis zur letzten.',
    spent: (day) =>
      html`Für diese Lizenz gibt es vorerst keine weitere Datei. ${day === null ? 'Der Support kann helfen.' : html`Die nächste ist ab dem ${day} möglich.`}`,
    refused: (support) =>
      html`Die Lizenz erlaubt für diesen Computer keine Datei. Geben Sie zuerst einen Computer frei${support === null ? '.' : html`, oder schreiben Sie dem Support: ${support}`}`,
    question: (device) => html`Datei für „${device}“ holen?`,
    takes: (day) =>
      html`Der Computer belegt ${day === null ? 'so lange wie die Lizenz gilt' : html`bis zum ${day}`} einen Platz der Lizenz. Das lässt sich vorher nicht zurücknehmen: Nur der Support kann den Computer freigeben.`,
    keeps: (day) =>
      html`Der Computer behält ${day === null ? 'so lange wie die Lizenz gilt' : html`bis zum ${day}`} seinen Platz der Lizenz. Das lässt sich vorher nicht zurücknehmen: Nur der Support kann den Computer freigeben.`,
    counts: (left, of) =>
      `Sie haben innerhalb von 365 Tagen noch ${left} von ${of} ${of === 1 ? 'Datei' : 'Dateien'}. Diese ist eine davon.`,
    countsNothing: 'Der Computer hat schon eine Datei, deshalb zählt eine weitere nicht.',
    done: (device) => html`Die Datei für „${device}“ ist fertig`,
    take: 'Bringen Sie die Datei auf den Computer. Der Dienst bewahrt sie nicht auf; innerhalb des Jahres erhalten Sie hier eine weitere für diesen Computer.',
    save: 'Datei speichern',
    text: 'Text der Datei',
    toLicense: 'Computer dieser Lizenz',
  },
  notices: {
    licenseGone: {
      title: 'Diese Lizenz steht nicht in Ihrer Liste',
      text: 'Vielleicht gehört sie zu einer anderen Adresse.',
    },
    foreignForm: {
      title: 'Bitte hier noch einmal versuchen',
      text: 'Das Formular kam nicht von dieser Seite, deshalb wurde nichts geändert. Öffnen Sie die Seite neu, und wiederholen Sie den Schritt.',
    },
    notFound: { title: 'Diese Seite gibt es nicht', text: 'Prüfen Sie die Adresse, oder beginnen Sie von vorn.' },
    badForm: {
      title: 'Das war nicht zu lesen',
      text: 'Das Formular kam beschädigt an oder war zu lang. Es wurde nichts geändert.',
    },
    tooMany: {
      title: 'Zu viele Versuche',
      text: 'Aus Ihrem Netz kamen zu viele Anfragen. Warten Sie eine Stunde, und versuchen Sie es dann wieder.',
    },
    busy: {
      title: 'Einen Augenblick bitte',
      text: 'Der Dienst hat viel zu tun. Es wurde nichts geändert. Versuchen Sie es in einer Minute wieder.',
    },
    failed: {
      title: 'Etwas ist schiefgegangen',
      text: 'Der Dienst hat einen Fehler. Sehen Sie Ihre Lizenzen an, bevor Sie es wieder versuchen: Vielleicht wurde die Änderung gemacht.',
    },
  },
  toStart: 'Zur ersten Seite',
};
