/** The public keys for verifying license files (rules 11.2). Anybody may fetch them, as often as they like. */
import { type Clock, MINUTE_MS } from '../../ground/base/clock.ts';
import { plainText, type SharedText } from '../../ground/base/shared-text.ts';
import { outcomeOfRefusal } from '../../platform/endpoint/outcome.ts';
import { refuse } from '../../platform/endpoint/refusals.ts';
import { type Document, documentsSite } from '../../platform/sites/documents.ts';
import type { Site, SiteParts } from '../../platform/sites/site.ts';

/** Time for which the keys are served without reading them again. */
const KEPT_MS = MINUTE_MS;
/** Time for which clients may cache the reply. */
const CACHE_CONTROL = 'max-age=3600';

const AWAY = outcomeOfRefusal(refuse('database_away', { retryAfterSeconds: 5 }), 'success');

interface Published {
  readonly jwks: object;
  readonly keyList: object;
}

/** The documents as they are sent. */
type Texts = Readonly<Record<keyof Published, SharedText>>;

/** The site of the keys. */
export function keySites({ clock, read, ruleContext: { signingKeys } }: SiteParts): readonly Site[] {
  const readKeys = async () => {
    await read((sql) => signingKeys.refresh(sql, clock()));
    return signingKeys.published(clock());
  };
  return [documentsSite(keyDocuments(readKeys, clock))];
}

/**
 * The documents by path. While the keys cannot be read, the last ones read are served.
 *
 * @param read reads the keys; concurrent requests share one read
 */
export function keyDocuments(read: () => Promise<Published>, clock: Clock): ReadonlyMap<string, Document> {
  let readAt = Number.NEGATIVE_INFINITY;
  let last: Texts | null = null;
  let reading: Promise<Texts | null> | undefined;

  async function readAgain(): Promise<Texts | null> {
    try {
      const { jwks, keyList } = await read();
      last = { jwks: plainText(JSON.stringify(jwks)), keyList: plainText(JSON.stringify(keyList)) };
      readAt = clock();
    } catch {
      // An unavailable database has its own line in the log.
    }
    return last;
  }

  function published(): Promise<Texts | null> {
    const age = clock() - readAt;
    if (last !== null && age >= 0 && age < KEPT_MS) return Promise.resolve(last);
    reading ??= readAgain().finally(() => (reading = undefined));
    return reading;
  }

  const document =
    (part: keyof Published): Document =>
    async () => {
      const found = await published();
      if (found === null) return AWAY;
      return {
        contentType: 'application/json; charset=utf-8',
        text: found[part],
        contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
        cacheControl: CACHE_CONTROL,
        isForApps: true,
      };
    };
  return new Map([
    ['/.well-known/jwks.json', document('jwks')],
    ['/.well-known/latchkey-keys.json', document('keyList')],
  ]);
}
