/** E-mails to buyers: sellers queue them in the transaction of the sale; the wing of customers sends them. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { Tx } from '../../storage/contract/storage.ts';

interface SaleOfConnector {
  readonly connectorId: string;
  readonly subjectId: string;
}

/** An e-mail to a buyer. */
export interface NewSaleMail {
  /** `keys_added`: the sale had an e-mail before. */
  readonly kind: 'keys' | 'keys_added' | 'payment_failed';
  readonly to: string;
  /** The creator in whose name it is sent; null: the operator. */
  readonly creatorId: string | null;
  readonly language: MailLanguage;
  /** A license of the sale, and the sale itself if it is one of a connector. */
  readonly sale: { readonly licenseKey: string } | (SaleOfConnector & { readonly licenseKey: string });
  /** Whether it goes to the vendor, and not to the address of the licenses. */
  readonly isCopy?: boolean;
  /** Of a failed payment: the end of the license. The e-mail has no purpose once the license has another. */
  readonly expiresAt?: string | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface SaleMails {
  /** Queues an e-mail; does nothing where the service sends none. */
  queue(tx: Tx, mail: NewSaleMail): Promise<void>;
}

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    readonly saleMails: SaleMails;
  }
}
