/** Queues e-mails to buyers, for the slices that sell. */
import type { SaleMails } from '../../commerce/storefront/sale-mails.ts';
import type { Settings } from '../../platform/endpoint/rule-context.ts';
import { queueMail } from '../mail/outbox.ts';
import { saleMailKinds } from './kinds.ts';

/** E-mails to buyers; where the service sends no e-mail, none is queued. */
export function saleMails({ sendsMail }: Pick<Settings, 'sendsMail'>): SaleMails {
  return {
    async queue(tx, { kind, sale, isCopy = false, expiresAt, ...mail }) {
      if (!sendsMail) return;
      const { licenseKey, ...saleOfConnector } = sale;
      const data = {
        ...saleOfConnector,
        ...(isCopy ? { isCopy: 'yes' } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ?? '' }),
      };
      await queueMail(tx, { ...mail, kind: saleMailKinds[kind], licenseKey, data });
    },
  };
}
