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
      const ofLicense = 'licenseKey' in sale;
      const data = {
        ...(ofLicense ? {} : { connectorId: sale.connectorId, subjectId: sale.subjectId }),
        ...(isCopy ? { isCopy: 'yes' } : {}),
        ...(expiresAt === undefined ? {} : { expiresAt: expiresAt ?? '' }),
      };
      const licenseKey = ofLicense ? sale.licenseKey : null;
      await queueMail(tx, { ...mail, kind: saleMailKinds[kind], licenseKey, data });
    },
  };
}
