/**
 * The list of refusals is complete: each one is used, and an endpoint declares every refusal that its action can
 * return.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endpoints } from '../../src/app.ts';
import { clientEndpoints } from '../../src/licensing/client-endpoints/index.ts';
import { consume } from '../../src/licensing/metering/consume.ts';
import { type RefusalCode, refusalCodes, statusOf, textPattern } from '../../src/platform/endpoint/refusals.ts';
import { type Source, sources } from './sources.ts';

/** Refusals of any endpoint before its action decides: credential, fields, transport, safe retries. */
const IMPLIED: readonly RefusalCode[] = ['unauthorized', 'missing_fields', 'invalid_field'];
const OF_CLIENT_ENDPOINTS = [
  ...(clientEndpoints.sections ?? []).flatMap(({ endpoints }) => endpoints.flatMap(({ refusals }) => refusals)),
  ...consume.refusals,
];
/** Refusals that an endpoint inspects without returning them. */
/** What the functions of the storefront refuse with, and a connector does not pass on. */
const OF_SALES = [
  ...(['code_unknown', 'code_deactivated', 'code_expired', 'code_max_uses'] as const),
  ...(['code_not_applicable', 'code_already_redeemed', 'license_not_found', 'variant_not_found'] as const),
];
const SWALLOWED: Readonly<Record<string, readonly RefusalCode[]>> = {
  // A code that cannot be redeemed does not stop a paid purchase.
  '/storefrontWebhook': [
    'code_unknown',
    'code_deactivated',
    'code_expired',
    'code_max_uses',
    'code_not_applicable',
    'code_already_redeemed',
  ],
  // A decision about a sale acts on licenses that are there, or on none.
  '/previewShopEvent': [...OF_SALES],
  '/decideShopEvent': [...OF_SALES],
  // The name of a verdict, too.
  '/listReplyTemplates': ['wrong_product'],
  '/saveReplyTemplate': ['wrong_product'],
  // The text of a kept refusal of /heartbeat.
  '/getCustomer': ['invalid_heartbeat_token'],
  // /explainLicense reports the refusals of the client endpoints in its own reply.
  '/explainLicense': [
    'license_replaced',
    'update_not_covered',
    'feature_missing',
    'user_required',
    'user_limit',
    'meter_limit',
    'meter_not_found',
    'wrong_product',
    'license_revoked',
    'license_expired',
    'machine_limit',
    'activation_rate',
    'machine_not_activated',
    'invalid_token',
    'token_mismatch',
    'machine_not_found',
    'invalid_heartbeat_token',
  ],
  // Their replies report past refusals.
  '/getLicense': ['invalid_heartbeat_token'],
  '/listRefusals': [
    'license_replaced',
    'update_not_covered',
    'feature_missing',
    'user_required',
    'user_limit',
    'meter_limit',
    'meter_not_found',
    'request_id_reused',
    'wrong_product',
    'license_revoked',
    'license_expired',
    'machine_limit',
    'activation_rate',
    'machine_not_activated',
    'invalid_token',
    'token_mismatch',
    'invalid_heartbeat_token',
  ],
  // Their figures count past refusals by code.
  '/getOverview': OF_CLIENT_ENDPOINTS,
  '/getStatistics': OF_CLIENT_ENDPOINTS,
};
/** Folders whose refusals belong to no single endpoint. */
const TRANSPORT = ['runtime/http', 'runtime/dispatch', 'platform/endpoint'];
/** Checks for endpoints in these folders: an endpoint that imports one can refuse with its codes. */
const CHECKS_OF_ENDPOINTS = [
  'platform/endpoint/owner.ts',
  'platform/endpoint/quotas.ts',
  'platform/endpoint/shown-values.ts',
];

const sourceAt = (path: string) => sources.find((each) => each.path === path);

/** The refusal codes named in a piece of code, without words of comparisons, SQL or type definitions. */
function codesIn(code: string): RefusalCode[] {
  const meant = code.replace(/(type:|case|[=!]==) '\w+'|_TYPES = \[[^\]]*\]|\bin \([^)]*\)/g, '');
  return refusalCodes.filter((each) => meant.includes(`'${each}'`));
}

/** The file that declares an endpoint. */
function fileOf(path: string): Source {
  const found = sources.filter(({ code }) => code.includes(`path: '${path}'`));
  assert.equal(found.length, 1, `${path} is declared in ${found.length} files`);
  return found[0]!;
}

/** The functions and values at the top level of a file, by name: each up to the next one, or the next type. */
function partsOf({ code }: Source): Map<string, string> {
  const parts = code.split(/^(?=(?:export )?(?:async )?(?:function|const|class|interface|type) )/m);
  return new Map(
    parts.flatMap((part) => {
      const [, name] = /^(?:export )?(?:async )?(?:function|const|class) (\w+)/.exec(part) ?? [];
      return name === undefined ? [] : [[name, part] as const];
    }),
  );
}

const parts = new Map(sources.map((source) => [source.path, partsOf(source)]));

/** The refusal codes of an endpoint's own file, and of everything that it reaches by name from there. */
function codesWithin(source: Source): Set<RefusalCode> {
  const found = new Set<RefusalCode>();
  const seen = new Set<string>();
  const follow = (at: Source, name: string): void => {
    const text = parts
      .get(at.path)
      ?.get(name)
      ?.replace(/refusals: \[[^\]]*\]/, '');
    if (text === undefined || seen.has(`${at.path} ${name}`)) return;
    seen.add(`${at.path} ${name}`);
    for (const code of codesIn(text)) found.add(code);
    for (const word of new Set(text.match(/\b[a-zA-Z]\w+\b/g))) {
      follow(at, word);
      for (const { target, isTypeOnly } of at.imports) {
        const beside = sourceAt(target);
        if (beside === undefined || isTypeOnly) continue;
        if (!TRANSPORT.includes(beside.room) || CHECKS_OF_ENDPOINTS.includes(target)) follow(beside, word);
      }
    }
  };
  for (const name of parts.get(source.path)!.keys()) follow(source, name);
  return found;
}

describe('the refusals', () => {
  it('are all declared by an endpoint or made by the transport', () => {
    const declared = new Set(endpoints.flatMap(({ refusals }) => refusals));
    const transport = new Set(
      sources.filter(({ room }) => TRANSPORT.includes(room)).flatMap(({ code }) => codesIn(code)),
    );
    assert.deepEqual(
      refusalCodes.filter((code) => !declared.has(code) && !transport.has(code) && !IMPLIED.includes(code)),
      [],
    );
  });

  it('that endpoints declare can be met: the code names them', () => {
    for (const { path, refusals } of endpoints) {
      const named = codesWithin(fileOf(path));
      assert.deepEqual(
        refusals.filter((code) => !named.has(code)),
        [],
        `${path} declares what it never refuses with`,
      );
    }
  });

  it('that an endpoint can answer are declared by it, each once', () => {
    for (const { path, refusals } of endpoints) {
      const undeclared = [...codesWithin(fileOf(path))].filter(
        (code) => !refusals.includes(code) && !IMPLIED.includes(code),
      );
      const swallowed = new Set(SWALLOWED[path]);
      assert.deepEqual(new Set(undeclared), swallowed, `${path} refuses with what it does not declare`);
      assert.equal(new Set(refusals).size, refusals.length, `${path} declares one twice`);
    }
  });

  it('have one of the statuses that the service uses, and a text', () => {
    for (const code of refusalCodes) {
      assert.ok([400, 401, 403, 404, 405, 408, 409, 413, 422, 426, 429, 431, 500, 503].includes(statusOf(code)), code);
      assert.ok(textPattern(code).length > 0, code);
    }
  });
});
