/** Mails with the keys of a sale: sellers queue them in the transaction of the sale; the slice of mails sends them. */
import type { MailLanguage } from '../../platform/endpoint/mail-kind.ts';
import type { Tx } from '../../storage/contract/storage.ts';

/** A mail with the keys of a sale. */
export interface NewSaleMail {
  /** `keys_added`: the sale had a mail before. */
  readonly kind: 'keys' | 'keys_added';
  readonly to: string;
  /** The creator in whose name it is sent; null: the operator. */
  readonly creatorId: string | null;
  readonly language: MailLanguage;
  /** The sale of a connector, or a license of the storefront. */
  readonly sale: { readonly connectorId: string; readonly subjectId: string } | { readonly licenseKey: string };
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface SaleMails {
  /** Queues a mail; does nothing where the service sends no mail. */
  queue(tx: Tx, mail: NewSaleMail): Promise<void>;
}

declare module '../../platform/endpoint/rule-context.ts' {
  interface RuleContext {
    readonly saleMails: SaleMails;
  }
}
