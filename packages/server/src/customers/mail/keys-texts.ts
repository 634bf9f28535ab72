/** The sentences of e-mails with license keys. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';

interface KeysTexts {
  subjectOfOne(product: string): string;
  readonly subjectOfSeveral: string;
  readonly greeting: string;
  readonly introductionOfOne: string;
  readonly introductionOfSeveral: string;
  /** Of a key that took the place of another. */
  readonly introductionOfReplacement: string;
  readonly more: string;
  readonly use: string;
  readonly reason: string;
  readonly reasonOfReplacement: string;
}

export const KEYS_TEXTS: Readonly<Record<MailLanguage, KeysTexts>> = {
  en: {
    subjectOfOne: (product) => `Your license key for ${product}`,
    subjectOfSeveral: 'Your license keys',
    greeting: 'Hello,',
    introductionOfOne: 'here is your license key:',
    introductionOfSeveral: 'here are the license keys of your address:',
    introductionOfReplacement:
      'your license has a new key. It takes the place of the former one, which no longer works:',
    more: 'You have more licenses than fit into this e-mail. Please ask support for their keys.',
    use: 'Enter the key when the program asks for it, and keep this e-mail.',
    reason: 'You get this e-mail because the key was requested for your address. Only you receive it.',
    reasonOfReplacement: 'You get this e-mail because the key of your license was replaced. Only you receive it.',
  },
  de: {
    subjectOfOne: (product) => `Ihr Lizenzschlüssel für ${product}`,
    subjectOfSeveral: 'Ihre Lizenzschlüssel',
    greeting: 'Guten Tag,',
    introductionOfOne: 'hier ist Ihr Lizenzschlüssel:',
    introductionOfSeveral: 'hier sind die Lizenzschlüssel zu Ihrer Adresse:',
    introductionOfReplacement:
      'Ihre Lizenz hat einen neuen Schlüssel. Er tritt an die Stelle des bisherigen, der nicht mehr gilt:',
    more: 'Sie haben mehr Lizenzen, als in diese Nachricht passen. Bitte fragen Sie den Support nach den übrigen Schlüsseln.',
    use: 'Geben Sie den Schlüssel ein, wenn das Programm danach fragt, und bewahren Sie diese Nachricht auf.',
    reason:
      'Sie erhalten diese Nachricht, weil der Schlüssel für Ihre Adresse angefordert wurde. Nur Sie erhalten sie.',
    reasonOfReplacement:
      'Sie erhalten diese Nachricht, weil der Schlüssel Ihrer Lizenz ersetzt wurde. Nur Sie erhalten sie.',
  },
  fr: {
    subjectOfOne: (product) => `Votre clé de licence pour ${product}`,
    subjectOfSeveral: 'Vos clés de licence',
    greeting: 'Bonjour,',
    introductionOfOne: 'voici votre clé de licence :',
    introductionOfSeveral: 'voici les clés de licence de votre adresse :',
    introductionOfReplacement: 'votre licence a une nouvelle clé. Elle remplace l’ancienne, qui ne fonctionne plus :',
    more: 'Vous avez plus de licences que ce message n’en peut contenir. Demandez les autres clés au support.',
    use: 'Saisissez la clé quand le logiciel la demande, et conservez ce message.',
    reason:
      'Vous recevez ce message parce que la clé a été demandée pour votre adresse. Personne d’autre ne le reçoit.',
    reasonOfReplacement:
      'Vous recevez ce message parce que la clé de votre licence a été remplacée. Personne d’autre ne le reçoit.',
  },
  es: {
    subjectOfOne: (product) => `Su clave de licencia de ${product}`,
    subjectOfSeveral: 'Sus claves de licencia',
    greeting: 'Hola:',
    introductionOfOne: 'Esta es su clave de licencia:',
    introductionOfSeveral: 'Estas son las claves de licencia de su dirección:',
    introductionOfReplacement: 'Su licencia tiene una clave nueva. Sustituye a la anterior, que ya no funciona:',
    more: 'Tiene más licencias de las que caben en este mensaje. Pida las demás claves al servicio de asistencia.',
    use: 'Introduzca la clave cuando el programa la pida y conserve este mensaje.',
    reason: 'Recibe este mensaje porque se solicitó la clave para su dirección. Nadie más lo recibe.',
    reasonOfReplacement: 'Recibe este mensaje porque se sustituyó la clave de su licencia. Nadie más lo recibe.',
  },
};
