/** The texts of e-mails to buyers where the vendor has none of their own. They have the placeholders of templates. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { SaleMailKind, TemplateText } from './template.ts';

/** The facts that choose a text. */
export interface TextChoice {
  /** Number of keys in the e-mail. */
  readonly keys: number;
  /** Whether the license ends. */
  readonly hasEnd: boolean;
}

interface SaleTexts {
  readonly subject: Readonly<Record<SaleMailKind, string>>;
  readonly greeting: string;
  readonly introductionOfOne: string;
  readonly introductionOfSeveral: string;
  readonly introductionOfAddition: string;
  readonly use: string;
  readonly paymentFailed: string;
  readonly worksUntil: string;
  readonly updatePayment: string;
  /** Stands behind the keys if there are more than an e-mail has. */
  readonly more: string;
  /** The value of {expires} for a license without an end. */
  readonly endless: string;
}

const TEXTS: Readonly<Record<MailLanguage, SaleTexts>> = {
  en: {
    subject: {
      keys: 'Your license for {product}',
      keys_added: 'Another license of your order of {product}',
      payment_failed: 'Your payment for {product} failed',
    },
    greeting: 'Hello,',
    introductionOfOne: 'thank you for your order. Here is your license key:',
    introductionOfSeveral: 'thank you for your order. Here are your license keys:',
    introductionOfAddition: 'your order has a further license. These are all its keys:',
    use: 'Enter the key when the program asks for it, and keep this e-mail.',
    paymentFailed: 'the payment for your subscription of {product} failed.',
    worksUntil: 'Your license works until {expires}.',
    updatePayment: 'Please check your payment details in the shop where you bought it.',
    more: 'Your order has more licenses than fit into this e-mail. Please ask support for their keys.',
    endless: 'without end',
  },
  de: {
    subject: {
      keys: 'Ihre Lizenz für {product}',
      keys_added: 'Eine weitere Lizenz zu Ihrer Bestellung von {product}',
      payment_failed: 'Ihre Zahlung für {product} ist fehlgeschlagen',
    },
    greeting: 'Guten Tag,',
    introductionOfOne: 'vielen Dank für Ihre Bestellung. Hier ist Ihr Lizenzschlüssel:',
    introductionOfSeveral: 'vielen Dank für Ihre Bestellung. Hier sind Ihre Lizenzschlüssel:',
    introductionOfAddition: 'zu Ihrer Bestellung gehört eine weitere Lizenz. Das sind alle Schlüssel:',
    use: 'Geben Sie den Schlüssel ein, wenn das Programm danach fragt, und bewahren Sie diese Nachricht auf.',
    paymentFailed: 'die Zahlung für Ihr Abonnement von {product} ist fehlgeschlagen.',
    worksUntil: 'Ihre Lizenz funktioniert bis zum {expires}.',
    updatePayment: 'Bitte prüfen Sie Ihre Zahlungsdaten in dem Shop, in dem Sie gekauft haben.',
    more: 'Ihre Bestellung hat mehr Lizenzen, als in diese Nachricht passen. Bitte fragen Sie den Support nach den übrigen Schlüsseln.',
    endless: 'unbegrenzt',
  },
  fr: {
    subject: {
      keys: 'Votre licence pour {product}',
      keys_added: 'Une autre licence de votre commande de {product}',
      payment_failed: 'Votre paiement pour {product} a échoué',
    },
    greeting: 'Bonjour,',
    introductionOfOne: 'merci pour votre commande. Voici votre clé de licence :',
    introductionOfSeveral: 'merci pour votre commande. Voici vos clés de licence :',
    introductionOfAddition: 'votre commande comprend une autre licence. Voici toutes ses clés :',
    use: 'Saisissez la clé quand le logiciel la demande, et conservez ce message.',
    paymentFailed: 'le paiement de votre abonnement à {product} a échoué.',
    worksUntil: 'Votre licence fonctionne jusqu’au {expires}.',
    updatePayment: 'Vérifiez vos données de paiement dans la boutique où vous l’avez achetée.',
    more: 'Votre commande a plus de licences que ce message n’en peut contenir. Demandez les autres clés au support.',
    endless: 'sans limite',
  },
  es: {
    subject: {
      keys: 'Su licencia de {product}',
      keys_added: 'Otra licencia de su pedido de {product}',
      payment_failed: 'El pago de {product} ha fallado',
    },
    greeting: 'Hola:',
    introductionOfOne: 'Gracias por su pedido. Esta es su clave de licencia:',
    introductionOfSeveral: 'Gracias por su pedido. Estas son sus claves de licencia:',
    introductionOfAddition: 'Su pedido tiene otra licencia. Estas son todas sus claves:',
    use: 'Introduzca la clave cuando el programa la pida y conserve este mensaje.',
    paymentFailed: 'El pago de su suscripción a {product} ha fallado.',
    worksUntil: 'Su licencia funciona hasta el {expires}.',
    updatePayment: 'Compruebe sus datos de pago en la tienda donde la compró.',
    more: 'Su pedido tiene más licencias de las que caben en este mensaje. Pida las demás claves al servicio de asistencia.',
    endless: 'sin límite',
  },
};

/** The text of an e-mail without a template. */
export function builtInText(kind: SaleMailKind, language: MailLanguage, { keys, hasEnd }: TextChoice): TemplateText {
  const texts = TEXTS[language];
  const subject = texts.subject[kind];
  if (kind === 'payment_failed') {
    const end = hasEnd ? [texts.worksUntil] : [];
    return { subject, text: [texts.greeting, texts.paymentFailed, ...end, texts.updatePayment].join('\n\n') };
  }
  const introduction = keys === 1 ? texts.introductionOfOne : texts.introductionOfSeveral;
  const beginning = kind === 'keys_added' ? texts.introductionOfAddition : introduction;
  return { subject, text: [texts.greeting, beginning, '{keys}', texts.use].join('\n\n') };
}

/** The words that fill in placeholders. */
export function wordsOf(language: MailLanguage): Pick<SaleTexts, 'more' | 'endless'> {
  return TEXTS[language];
}
