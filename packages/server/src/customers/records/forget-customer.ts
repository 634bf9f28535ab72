import Type from 'typebox';
import { endpoint } from '../../platform/endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../../platform/endpoint/example-values.ts';
import { email, nullable, resource, success } from '../../platform/endpoint/field-types.ts';
import { forgetCustomer as forget } from './change.ts';
import { NOTHING_REPLACED } from './store.ts';

const count = (description: string) => Type.Integer({ description });

const replacedSchema = resource('ReplacedAddresses', 'Number of replaced places by kind.', {
  licenses: count('Licenses of the address.'),
  events: count('Events of these licenses, of its orders, and notes.'),
  machines: count('Machines of these licenses whose names were forgotten.'),
  users: count('Users of these licenses, and of others if the user has the address.'),
  violations: count('Violations of these licenses whose evidence held names of machines.'),
  refusals: count('Refusals of calls for these licenses in which names of machines stood.'),
  licenseFiles: count('Signed files of these licenses that held names of machines.'),
  redemptions: count('Trial and discount codes that the address redeemed.'),
  orders: count('Studio orders that the address bought.'),
  seats: count('Seats that the address redeemed.'),
  storefrontEvents: count('Events that the storefront reported of the address.'),
  shopSales: count('Sales and customers at sellers of the address.'),
  mails: count('E-mails to the address; they are deleted.'),
});

/** POST /forgetCustomer (rules 4.10.1). */
export const forgetCustomer = endpoint({
  path: '/forgetCustomer',
  access: 'superAdmin',
  summary: 'Replace the e-mail address of a customer by a pseudonym everywhere',
  description:
    'Replaces an address by a random pseudonym, the same one everywhere, so that its licenses still belong together. ' +
    'The names of the machines and users of its licenses are forgotten as well. Licenses keep working. Former addresses ' +
    'of the licenses, which /getCustomer lists in `formerEmails`, are forgotten by calls of their own. One call does a bounded ' +
    'amount of work: repeat it, without an `Idempotency-Key`, until `complete` is true. Names that machines send ' +
    'afterwards are forgotten by a call with the pseudonym. docs/operators/security.md lists where data is stored.',
  example: {
    after: ['/createLicense', '/activate'],
    request: { email: EXAMPLE.email },
    reply: {
      success: true,
      complete: true,
      pseudonym: MADE_BY_SERVICE.pseudonym,
      replaced: { ...NOTHING_REPLACED, licenses: 1, events: 2, machines: 1 },
    },
  },
  fields: Type.Object({ email: email('The address to be forgotten; compared without case.') }),
  reply: success({
    complete: Type.Boolean({ description: 'Whether the address is gone everywhere; otherwise repeat the call.' }),
    pseudonym: nullable(Type.String({ description: 'The replacement; null until the address was found somewhere.' })),
    replaced: replacedSchema,
  }),
}).write(async (tx, { fields, origin, ruleContext }) => {
  const { isComplete, pseudonym, replaced } = await forget(tx, origin, fields.email, ruleContext);
  return { success: true, complete: isComplete, pseudonym, replaced };
});
