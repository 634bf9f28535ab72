import { LINK_MINUTES, makeCustomerLink } from '../../customers/self-service/link.ts';
import { isRefusal, textOf } from '../../platform/endpoint/refusals.ts';
import { requireSelfService } from '../../runtime/config/self-service.ts';
import { type Command, inDatabase, originOf } from './command.ts';

export const customerLink: Command = {
  name: 'customer-link',
  summary: 'print a link with which a customer signs in to the pages at /my, once',
  positionals: ['KEY-OR-ADDRESS'],
  options: {
    minutes: { meaning: `validity, ${LINK_MINUTES.default} by default, at most ${LINK_MINUTES.most}`, value: 'N' },
    creator: { meaning: 'the shop that the customer is to see', value: 'ID' },
  },
  example: 'customer-link ada@example.com',
  run({ config, positionals: [given = ''], options, print }) {
    const minutes = Number(options.get('minutes') ?? LINK_MINUTES.default);
    if (!Number.isInteger(minutes) || minutes < LINK_MINUTES.least || minutes > LINK_MINUTES.most)
      throw new Error(`--minutes must be a whole number from ${LINK_MINUTES.least} to ${LINK_MINUTES.most}`);
    const selfService = requireSelfService(config);
    const order = {
      customer: given.includes('@') ? { email: given } : { licenseKey: given },
      scope: { creatorId: options.get('creator') ?? null },
      minutes,
    };
    return inDatabase(config, async (storage) => {
      const origin = await originOf('customer-link', storage);
      const link = await storage.transaction((tx) => makeCustomerLink(tx, origin, order, selfService));
      if (isRefusal(link)) throw new Error(textOf(link));
      print(link.url);
    });
  },
};
