import Type from 'typebox';
import { foldEmail, tidied } from '../../../ground/base/typed-text.ts';
import { endpoint } from '../../../platform/endpoint/endpoint.ts';
import { EXAMPLE, EXAMPLE_NOW, MADE_BY_SERVICE } from '../../../platform/endpoint/example-values.ts';
import {
  FieldFault,
  LONGEST_LICENSE_KEY,
  productIdField,
  readField,
  resource,
  success,
} from '../../../platform/endpoint/field-types.ts';
import { isRefusal } from '../../../platform/endpoint/refusals.ts';
import { reachableProducts } from '../../products/reachable-products.ts';
import { isGeneratedKey, storedLicenseKey } from '../license.ts';
import { type ListedLicense, newestFirst } from '../listing-store.ts';
import { findNamedLicenses, type NamedLicenses } from '../named-licenses-store.ts';
import { licenseSummary, licenseSummarySchema } from './license-summary.ts';

/** Maximum number of lines of a request, and of licenses of a line. */
const MAX_LINES = 200;
const MAX_OF_LINE = 20;

const NAMES_FORM = `must be a list of 1 to ${MAX_LINES} strings of 1 to ${LONGEST_LICENSE_KEY} characters`;

const namesField = readField<readonly string[]>(
  {
    type: 'array',
    description: 'Lines that name licenses: keys in any form, e-mail addresses, ids of purchases.',
    minItems: 1,
    maxItems: MAX_LINES,
    items: { type: 'string', minLength: 1, maxLength: LONGEST_LICENSE_KEY },
  },
  NAMES_FORM,
  (given) => {
    if (!Array.isArray(given) || given.length === 0 || given.length > MAX_LINES) return new FieldFault(NAMES_FORM);
    for (const [index, name] of given.entries())
      if (typeof name !== 'string' || name === '' || name.length > LONGEST_LICENSE_KEY || !isStorable(name))
        return new FieldFault(`${NAMES_FORM} without NUL or half of a surrogate pair; entry ${index} is none`);
    return given as readonly string[];
  },
);

function isStorable(name: string): boolean {
  return !name.includes('\0') && name.isWellFormed();
}

const lineSchema = resource('LineOfLicenses', 'A line of a list, and the licenses that it names.', {
  name: Type.String({ description: 'The line as it was sent.' }),
  licenses: Type.Array(licenseSummarySchema, {
    description: `The licenses with the fields of \`detail\`, newest first, at most ${MAX_OF_LINE}; none for a line that names nothing within reach.`,
  }),
  isMore: Type.Optional(Type.Literal(true, { description: `Present if the line names more than ${MAX_OF_LINE}.` })),
});

export const findLicenses = endpoint({
  path: '/findLicenses',
  methods: ['POST'],
  access: 'admin',
  needs: 'viewer',
  summary: 'Find the licenses that the lines of a list name',
  description:
    `Finds licenses for each of at most ${MAX_LINES} lines. A line is a license key, an e-mail address or the id of a ` +
    'purchase; case, spaces and marks around keys and addresses do not matter. Lines come in their order, and a line ' +
    'that stands in the list again is left out. A line without licenses and one with licenses of other creators look ' +
    'the same. An API key whose creator owns more than 30 products must name a product.',
  example: {
    after: ['/createLicense'],
    request: { names: [EXAMPLE.email, 'nobody@example.com'] },
    reply: {
      success: true,
      lines: [
        {
          name: EXAMPLE.email,
          licenses: [
            {
              key: MADE_BY_SERVICE.licenseKey,
              email: EXAMPLE.email,
              productId: EXAMPLE.productId,
              variant: EXAMPLE.variant,
              status: 'active',
              maxMachines: 3,
              createdAt: EXAMPLE_NOW,
              licenseType: 'per-machine',
              expiresAt: '2028-03-01T09:30:00.000Z',
              machinesUsed: 0,
              maxConcurrent: null,
              threatLevel: 0,
            },
          ],
        },
        { name: 'nobody@example.com', licenses: [] },
      ],
    },
  },
  fields: Type.Object({ names: namesField, productId: Type.Optional(productIdField) }),
  reply: success({ lines: Type.Array(lineSchema, { description: 'The distinct lines.' }) }),
  refusals: ['too_many_products'],
}).read(async (sql, { fields: { names, productId }, scope, now }) => {
  const reachable = await reachableProducts(sql, productId, scope);
  if (isRefusal(reachable)) return reachable;
  const lines = distinctLines(names);
  const found = await findNamedLicenses(
    sql,
    {
      keys: [...new Set(lines.map(({ key }) => key))],
      emails: lines.flatMap(({ email }) => email ?? []),
      purchases: lines.map(({ purchase }) => purchase),
    },
    reachable.productIds,
    MAX_OF_LINE + 1,
  );
  return {
    success: true,
    lines: lines.map((line) => {
      const licenses = licensesOf(line, found);
      return {
        name: line.name,
        licenses: licenses.slice(0, MAX_OF_LINE).map((license) => licenseSummary(license, true, now)),
        ...(licenses.length > MAX_OF_LINE ? { isMore: true as const } : {}),
      };
    }),
  };
});

/** A line, and its forms for comparison. */
interface Line {
  readonly name: string;
  readonly key: string;
  readonly email: string | undefined;
  readonly purchase: string;
}

/** The lines that name different things, each where it stands first. Ids of purchases differ by case, too. */
function distinctLines(names: readonly string[]): readonly Line[] {
  const lines = new Map<string, Line>();
  for (const name of names) {
    const [key, purchase] = [storedLicenseKey(name), tidied(name)];
    const email = purchase.includes('@') ? foldEmail(purchase) : undefined;
    const identity = email ?? (isGeneratedKey(key) ? key : purchase);
    if (!lines.has(identity)) lines.set(identity, { name, key, email, purchase });
  }
  return [...lines.values()];
}

/** The licenses of a line, newest first: that with the key, and those of the address and of the purchase. */
function licensesOf({ key, email, purchase }: Line, found: NamedLicenses): readonly ListedLicense[] {
  const ofEmail = email === undefined ? undefined : found.keysByEmail.get(email);
  const keys = new Set([key, ...(ofEmail ?? []), ...(found.keysByPurchase.get(purchase) ?? [])]);
  return [...keys].flatMap((each) => found.byKey.get(each) ?? []).sort(newestFirst);
}
