/** The sentences of e-mails with a code. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';

interface CodeTexts {
  subject(code: string): string;
  readonly greeting: string;
  readonly introduction: string;
  introductionOf(shop: string): string;
  readonly use: string;
  readonly reason: string;
}

export const CODE_TEXTS: Readonly<Record<MailLanguage, CodeTexts>> = {
  en: {
    subject: (code) => `${code} is your code`,
    greeting: 'Hello,',
    introduction: 'here is your code for signing in to your licenses:',
    introductionOf: (shop) => `here is your code for signing in to your licenses at ${shop}:`,
    use: 'Enter it on the page that asked for it, in the same browser, within ten minutes.',
    reason: 'If you did not ask for a code, you can ignore this e-mail. Nobody can use the code in another browser.',
  },
  de: {
    subject: (code) => `${code} ist Ihr Code`,
    greeting: 'Guten Tag,',
    introduction: 'hier ist Ihr Code für die Anmeldung zu Ihren Lizenzen:',
    introductionOf: (shop) => `hier ist Ihr Code für die Anmeldung zu Ihren Lizenzen bei ${shop}:`,
    use: 'Geben Sie ihn innerhalb von zehn Minuten auf der Seite ein, die danach fragt, im selben Browser.',
    reason:
      'Wenn Sie keinen Code angefordert haben, können Sie diese Nachricht ignorieren. In einem anderen Browser nützt der Code niemandem.',
  },
  fr: {
    subject: (code) => `${code} est votre code`,
    greeting: 'Bonjour,',
    introduction: 'voici votre code pour accéder à vos licences :',
    introductionOf: (shop) => `voici votre code pour accéder à vos licences chez ${shop} :`,
    use: 'Saisissez-le dans les dix minutes sur la page qui le demande, dans le même navigateur.',
    reason:
      'Si vous n’avez pas demandé de code, ignorez ce message. Personne ne peut utiliser le code dans un autre navigateur.',
  },
  es: {
    subject: (code) => `${code} es su código`,
    greeting: 'Hola:',
    introduction: 'Este es su código para acceder a sus licencias:',
    introductionOf: (shop) => `Este es su código para acceder a sus licencias en ${shop}:`,
    use: 'Introdúzcalo en los próximos diez minutos en la página que lo pide, en el mismo navegador.',
    reason: 'Si no pidió ningún código, ignore este mensaje. Nadie puede usar el código en otro navegador.',
  },
};
