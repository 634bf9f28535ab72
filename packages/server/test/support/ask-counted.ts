/** Asks an endpoint that reads, and counts the work of its statements. */
import assert from 'node:assert/strict';
import { endpointsByPath } from '../../src/app.ts';
import type { RuleContext } from '../../src/platform/endpoint/rule-context.ts';
import { originAt } from './origin.ts';
import type { CountingSql, Work } from './rows-visited.ts';

/**
 * The reply of an endpoint to a caller with this scope, and the work done for it.
 *
 * @param creatorId null asks as the operator
 * @param now milliseconds since 1970
 */
export async function askCounted(
  counting: CountingSql,
  path: `/${string}`,
  fields: Readonly<Record<string, unknown>>,
  creatorId: string | null,
  now: number,
): Promise<{ readonly answer: unknown; readonly work: Work }> {
  const reading = endpointsByPath.get(path)?.work;
  assert.ok(reading?.kind === 'read');
  const caller =
    creatorId === null
      ? ({ kind: 'admin' } as const)
      : ({ kind: 'creator', creatorId, keyName: 'key', keyHash: 'hash' } as const);
  const ruleContext = { licenseCache: null } as RuleContext;
  const requestContext = { requestId: 'test', now, country: null, address: '' };
  const origin = originAt(now);
  counting.done();
  const answer = await reading.act(counting.sql, {
    ...requestContext,
    fields,
    caller,
    scope: { creatorId },
    origin,
    ruleContext,
  });
  return { answer, work: counting.done() };
}
