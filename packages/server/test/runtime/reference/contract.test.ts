/** contract.d.ts, as a program that calls the service would use it; the types are checked by the compiler. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Static } from 'typebox';
import type {
  Activation,
  CodeOf,
  Endpoints,
  License,
  Path,
  Product,
  RefusalCode,
  RefusalStatuses,
  ReplyOf,
  RequestOf,
  Variant,
  Violation,
} from '../../../contract.d.ts';
import { endpoints, sections } from '../../../src/app.ts';
import type { activationSchema, licenseSchema, violationSchema } from '../../../src/licensing/licenses/views.ts';
import type { productSchema, variantSchema } from '../../../src/licensing/products/views.ts';
import { type PublishedCode, publishedCodes, statusesOf } from '../../../src/platform/endpoint/refusals.ts';
import { answerableBy } from '../../../src/runtime/reference/answerable.ts';
import { generatedFiles } from '../../../src/runtime/reference/documents.ts';

const text = generatedFiles(sections).get('contract.d.ts') ?? '';

/** A value of one type where another is required; does not compile unless it fits. */
type Fits<Given extends Asked, Asked> = [Given, Asked];

/** The service's own types fit the contract's, and have the same fields. */
export type Checked = [
  Fits<Static<typeof licenseSchema>, License>,
  Fits<keyof License, keyof Static<typeof licenseSchema>>,
  Fits<Static<typeof activationSchema>, Activation>,
  Fits<keyof Activation, keyof Static<typeof activationSchema>>,
  Fits<Static<typeof violationSchema>, Violation>,
  Fits<keyof Violation, keyof Static<typeof violationSchema>>,
  Fits<Static<typeof productSchema>, Product>,
  Fits<keyof Product, keyof Static<typeof productSchema>>,
  Fits<Static<typeof variantSchema>, Variant>,
  Fits<keyof Variant, keyof Static<typeof variantSchema>>,
  Fits<(typeof endpoints)[number]['path'], `/${string}`>,
  Fits<PublishedCode, RefusalCode>,
  Fits<RefusalCode, PublishedCode>,
];

/** A possible client that uses the contract. */
function request<At extends Path>(path: At, fields: RequestOf<At>): { path: At; fields: RequestOf<At> } {
  return { path, fields };
}

describe('contract.d.ts', () => {
  it('lets the compiler find requests that are not complete, and fields that are not answered', () => {
    const { fields } = request('/verify', { licenseKey: 'K', productId: 'paint' });
    assert.equal(fields.productId, 'paint');
    // @ts-expect-error productId is required
    request('/verify', { licenseKey: 'K' });
    // @ts-expect-error there is no such type of license
    request('/createLicense', { email: 'a@b', productId: 'paint', licenseType: 'lifetime' });
    // @ts-expect-error there is no such endpoint
    request('/nowhere', {});
    const status = ({ license }: ReplyOf<'/createLicense'>): 'active' | 'revoked' | 'expired' => license.status;
    assert.equal(typeof status, 'function');
    // @ts-expect-error a license has no such field
    const owner = ({ license }: ReplyOf<'/createLicense'>) => license.owner;
    assert.equal(typeof owner, 'function');
  });

  it('says which codes an endpoint can be refused with, and their statuses', () => {
    const full: CodeOf<'/activate'> = 'machine_limit';
    const busy: CodeOf<'/activate'> = 'overloaded';
    // @ts-expect-error a check of a key takes no slot
    const never: CodeOf<'/verify'> = 'machine_limit';
    const status: RefusalStatuses['machine_limit'] = 403;
    assert.deepEqual([statusesOf(full), statusesOf(busy), statusesOf(never)], [[403], [503], [status]]);
    const missing: readonly RefusalStatuses['machine_not_activated'][] = [403, 404];
    assert.deepEqual(statusesOf('machine_not_activated'), missing);
    for (const code of publishedCodes)
      assert.ok(text.includes(`  readonly ${code}: ${statusesOf(code).join(' | ')};`), code);
  });

  it('knows the further fields of a refusal', () => {
    const reported = (body: Endpoints['/redeemSeatCode']['refusal']) => ('redeemedBy' in body ? body.redeemedBy : null);
    assert.equal(
      reported({ success: false, error: 'Code already redeemed', redeemedBy: 'ada', redeemedAt: 'now' }),
      'ada',
    );
    // @ts-expect-error only a used seat code says by whom
    const undescribed = (body: Endpoints['/validateSeatCode']['refusal']) => body.redeemedBy;
    assert.equal(typeof undescribed, 'function');
  });

  it('has every endpoint with its methods and its own codes, and needs no other file', () => {
    assert.doesNotMatch(text, /^import|from '|require\(/m);
    for (const endpoint of endpoints) {
      const [, part = ''] = text.split(`  readonly '${endpoint.path}': {\n`);
      const body = part.slice(0, part.indexOf('\n  };'));
      assert.ok(body.includes(endpoint.methods.map((method) => `'${method}'`).join(' | ')), endpoint.path);
      for (const { code, from } of endpoint.methods.flatMap((method) => answerableBy(endpoint, method)))
        assert.equal(body.includes(`| '${code}'`), from !== 'transport', `${endpoint.path} ${code}`);
    }
  });
});
