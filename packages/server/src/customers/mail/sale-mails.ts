/** Queues the mails with the keys of sales, for the slices that sell. */
import type { SaleMails } from '../../commerce/storefront/sale-mails.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { queueMail } from './outbox.ts';
import { saleMailKinds } from './sale-keys-mail.ts';

/** Mails of sales; where the service sends no mail, none is queued. */
export function saleMails({ sendsMail }: Pick<Settings, 'sendsMail'>): SaleMails {
  return {
    async queue(tx, { kind, sale, ...mail }) {
      if (!sendsMail) return;
      const ofLicense = 'licenseKey' in sale;
      const data = ofLicense ? {} : { connectorId: sale.connectorId, subjectId: sale.subjectId };
      const licenseKey = ofLicense ? sale.licenseKey : null;
      await queueMail(tx, { ...mail, kind: saleMailKinds[kind], licenseKey, data });
    },
  };
}
