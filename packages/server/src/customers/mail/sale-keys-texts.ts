/** The sentences of mails with the keys of a sale. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';

interface SaleTexts {
  subject(product: string): string;
  subjectOfAddition(product: string): string;
  readonly greeting: string;
  introduction(keys: number): string;
  readonly introductionOfAddition: string;
  readonly more: string;
  readonly use: string;
}

export const SALE_TEXTS: Readonly<Record<MailLanguage, SaleTexts>> = {
  en: {
    subject: (product) => `Your license for ${product}`,
    subjectOfAddition: (product) => `Another license of your order of ${product}`,
    greeting: 'Hello,',
    introduction: (keys) =>
      keys === 1
        ? 'thank you for your order. Here is your license key:'
        : 'thank you for your order. Here are your license keys:',
    introductionOfAddition: 'your order has a further license. These are all its keys:',
    more: 'Your order has more licenses than fit into this mail. Please ask support for their keys.',
    use: 'Enter the key when the program asks for it, and keep this mail.',
  },
  de: {
    subject: (product) => `Ihre Lizenz für ${product}`,
    subjectOfAddition: (product) => `Eine weitere Lizenz zu Ihrer Bestellung von ${product}`,
    greeting: 'Guten Tag,',
    introduction: (keys) =>
      keys === 1
        ? 'vielen Dank für Ihre Bestellung. Hier ist Ihr Lizenzschlüssel:'
        : 'vielen Dank für Ihre Bestellung. Hier sind Ihre Lizenzschlüssel:',
    introductionOfAddition: 'zu Ihrer Bestellung gehört eine weitere Lizenz. Das sind alle Schlüssel:',
    more: 'Ihre Bestellung hat mehr Lizenzen, als in diese Nachricht passen. Bitte fragen Sie den Support nach den übrigen Schlüsseln.',
    use: 'Geben Sie den Schlüssel ein, wenn das Programm danach fragt, und bewahren Sie diese Nachricht auf.',
  },
  fr: {
    subject: (product) => `Votre licence pour ${product}`,
    subjectOfAddition: (product) => `Une autre licence de votre commande de ${product}`,
    greeting: 'Bonjour,',
    introduction: (keys) =>
      keys === 1
        ? 'merci pour votre commande. Voici votre clé de licence :'
        : 'merci pour votre commande. Voici vos clés de licence :',
    introductionOfAddition: 'votre commande comprend une autre licence. Voici toutes ses clés :',
    more: 'Votre commande a plus de licences que ce message n’en peut contenir. Demandez les autres clés au support.',
    use: 'Saisissez la clé quand le logiciel la demande, et conservez ce message.',
  },
  es: {
    subject: (product) => `Su licencia de ${product}`,
    subjectOfAddition: (product) => `Otra licencia de su pedido de ${product}`,
    greeting: 'Hola:',
    introduction: (keys) =>
      keys === 1
        ? 'Gracias por su pedido. Esta es su clave de licencia:'
        : 'Gracias por su pedido. Estas son sus claves de licencia:',
    introductionOfAddition: 'Su pedido tiene otra licencia. Estas son todas sus claves:',
    more: 'Su pedido tiene más licencias de las que caben en este mensaje. Pida las demás claves al servicio de asistencia.',
    use: 'Introduzca la clave cuando el programa la pida y conserve este mensaje.',
  },
};
