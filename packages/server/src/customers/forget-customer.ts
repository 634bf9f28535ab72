import Type from 'typebox';
import { endpoint } from '../endpoint/endpoint.ts';
import { EXAMPLE, MADE_BY_SERVICE } from '../endpoint/example-values.ts';
import { email, nullable, resource } from '../endpoint/field-types.ts';
import { forgetCustomer as forget } from './change.ts';

const count = (description: string) => Type.Integer({ description });

const replacedSchema = resource('ReplacedAddresses', 'In how many places of each kind something was replaced.', {
  licenses: count('Licenses of the address.'),
  events: count('Events of these licenses, of its orders, and notes.'),
  machines: count('Machines of these licenses, whose names are forgotten.'),
  violations: count('Violations of these licenses, in whose evidence names of machines stood.'),
  refusals: count('Refusals of calls for these licenses in which names of machines stood.'),
  licenseFiles: count('Signed files of these licenses with which names of machines were kept.'),
  redemptions: count('Trial and discount codes that the address redeemed.'),
  orders: count('Studio orders that the address bought.'),
  seats: count('Seats that the address redeemed.'),
  storefrontEvents: count('Events that the storefront reported of the address.'),
});

/** POST /forgetCustomer (rules 4.10.1). */
export const forgetCustomer = endpoint({
  path: '/forgetCustomer',
  methods: ['POST'],
  access: 'superAdmin',
  summary: 'Replace the e-mail address of a customer by a pseudonym, wherever it is kept',
  description:
    'Puts a random pseudonym in the place of an address: one for all that the address had, so that its licenses still ' +
    'belong together. The names of the machines of its licenses are forgotten as well. Licenses go on working. One call ' +
    'does a bounded amount of work: repeat it, without an `Idempotency-Key`, until `complete` is true. Names that ' +
    'machines tell afterwards are forgotten by a call with the pseudonym. docs/security.md says what is kept where.',
  example: {
    after: ['/createLicense', '/activate'],
    request: { email: EXAMPLE.email },
    reply: {
      success: true,
      complete: true,
      pseudonym: MADE_BY_SERVICE.pseudonym,
      replaced: {
        licenses: 1,
        events: 2,
        machines: 1,
        violations: 0,
        refusals: 0,
        licenseFiles: 0,
        redemptions: 0,
        orders: 0,
        seats: 0,
        storefrontEvents: 0,
      },
    },
  },
  fields: Type.Object({ email: email('The address to be forgotten; compared without case.') }),
  missing: 'Missing email',
  reply: Type.Object({
    success: Type.Literal(true),
    complete: Type.Boolean({ description: 'Whether nothing holds the address any more; otherwise repeat the call.' }),
    pseudonym: nullable(
      Type.String({ description: 'What stands in its place; null as long as nothing was found that held it.' }),
    ),
    replaced: replacedSchema,
  }),
  refusals: [],
}).write(async (tx, { fields, origin, ruleContext }) => {
  const { isComplete, pseudonym, replaced } = await forget(tx, origin, fields.email, ruleContext);
  return {
    success: true,
    complete: isComplete,
    pseudonym,
    replaced: {
      licenses: replaced.licenses,
      events: replaced.events,
      machines: replaced.machines,
      violations: replaced.violations,
      refusals: replaced.refusals,
      licenseFiles: replaced.licenseFiles,
      redemptions: replaced.redemptions,
      orders: replaced.orders,
      seats: replaced.seats,
      storefrontEvents: replaced.storefrontEvents,
    },
  };
});
