/**
 * For any input to any endpoint, the reply is a 4xx that gives the reason, or a success if the value is valid; never a
 * 5xx. Every endpoint of app.ts is tried by its own field schema, so new ones are covered. Malformed input never
 * reaches a database, so it is tried with one engine alone; input that may be valid is tried on both. One reader of
 * fields serves all endpoints: malformed fields of one endpoint come through a socket, those of the others are given to
 * the reader.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { endpoints } from '../../../src/app.ts';
import { mintId } from '../../../src/ground/base/random.ts';
import { needsCredential } from '../../../src/platform/endpoint/caller.ts';
import type { Endpoint } from '../../../src/platform/endpoint/endpoint.ts';
import { fieldReader } from '../../../src/platform/endpoint/fields.ts';
import { statusOf, textOf, textPattern } from '../../../src/platform/endpoint/refusals.ts';
import { ADMIN_SECRET, type Answer, type TestApp, WEBHOOK_SECRET } from '../../support/app.ts';
import { mustSucceed } from '../../support/creator.ts';
import { engines } from '../../support/databases.ts';
import { Machine } from '../../support/machine.ts';
import { startedApp } from '../../support/started-app.ts';
import { type Field, fieldsOf, HOSTILE, longestText, rightValue, tooLongTexts } from './hostile-values.ts';
import { requestBytes, Wire } from './wire.ts';

/** The endpoint whose malformed fields come through a socket. */
const THROUGH_SOCKET = '/createLicense';

/** Longest text in a query, which shares 16 KiB with the headers. */
const LONGEST_QUERY = 8_000;

/** Values that refer to existing things, so that a request gets as far as possible. */
type Right = Readonly<Record<string, unknown>>;

for (const engine of engines)
  describe(`bad input on ${engine}`, () => {
    const app = startedApp(engine, { LATCHKEY_TRIAL_RATE: 'off' });

    /** Whether to try input that never reaches the database, too. */
    const isWithWrongForms = engine === engines[0];
    let existing: Right;
    /** True if an endpoint may have changed or removed something in `existing`. */
    let isStale = true;

    for (const endpoint of endpoints)
      describe(endpoint.path, () => {
        // The fields of a sign-in are credentials: any mistake in them is a 401.
        const signsIn = endpoint.access === 'signIn';
        const fields = fieldsOf(endpoint).filter(({ name }) => !(signsIn && ['secret', 'code'].includes(name)));
        const texts = fields.filter(({ kind }) => kind === 'text');
        const numbers = fields.filter(({ kind }) => kind === 'number' || kind === 'integer');
        const hasRequired = fields.some(({ isRequired }) => isRequired);
        before(async () => {
          if (isStale) existing = await somethingOfEverything(app);
          isStale = endpoint.work.kind !== 'read';
        });

        /** A valid value for every required field; unique values are new each time. */
        function right(): Right {
          const fresh: Right = {
            slug: `product-${mintId()}`.toLowerCase(),
            redeemerUserId: mintId(),
            purchaseId: mintId(),
          };
          const isNewCode = endpoint.path === '/createDiscountCode';
          const isSeatCode = /SeatCode$/.test(endpoint.path);
          const code = isNewCode ? mintId() : isSeatCode ? existing.seatCode : existing.discountCode;
          const known: Right = { ...existing, ...fresh, code };
          const needed = fields.flatMap((each) =>
            each.isRequired ? [[each.name, known[each.name] ?? rightValue(each)] as const] : [],
          );
          return { ...Object.fromEntries(needed), ...(signsIn ? { secret: ADMIN_SECRET } : {}) };
        }
        const headers = credentialOf(endpoint);
        const post = (body: unknown) => app.send(endpoint.path, body, { headers });
        const postWith = (field: Field, value: unknown) => post({ ...right(), [field.name]: value });

        /** A valid value gets any reply but a failure; an invalid one is refused by name. */
        async function tried(field: Field, value: unknown, answer: Promise<Answer>): Promise<void> {
          const { status, body } = await answer;
          assert.ok(status < 500, shown(field, value, body));
          if (status !== 400) return;
          const ownTexts = endpoint.refusals.filter((code) => statusOf(code) === 400).map(textPattern);
          const isExplained = [endpoint.missing, ...ownTexts].includes(body.error);
          assert.ok(
            isExplained || fields.some(({ name }) => body.error.startsWith(`${name} `)),
            shown(field, value, body),
          );
        }

        async function refused(field: Field, value: unknown, answer: Promise<Answer>): Promise<void> {
          const { status, body } = await answer;
          assert.equal(status, 400, shown(field, value, body));
          assert.ok(body.error.startsWith(`${field.name} `), shown(field, value, body));
        }
        const readFields = fieldReader(endpoint.fields, endpoint.missing);
        /** The same for a whole body as text, which the reader of fields refuses before anything else looks at it. */
        async function refusedBody(field: Field, value: unknown, text: string): Promise<void> {
          const read = readFields(JSON.parse(text), 'body');
          // The endpoint itself refuses a few: a `request` for a license file is read by its action.
          if (endpoint.path === THROUGH_SOCKET || !('refusal' in read)) return refused(field, value, post(text));
          const error = textOf(read.refusal);
          assert.ok(error.startsWith(`${field.name} `), shown(field, value, { error }));
        }
        const refusedIn = (field: Field, value: unknown) =>
          refusedBody(field, value, JSON.stringify({ ...right(), [field.name]: value }));

        it('accepts any text, and refuses other values', async () => {
          for (const field of texts) {
            await Promise.all(HOSTILE.texts.map((value) => tried(field, value, postWith(field, value))));
            // A name of a computer is repaired.
            const isRefused = isWithWrongForms && field.name !== 'hostname';
            const wrong = isRefused ? [...HOSTILE.brokenTexts, ...tooLongTexts(field), ...HOSTILE.noTexts] : [];
            await Promise.all(wrong.map((value) => refusedIn(field, value)));
          }
        });

        it('takes texts of full length, each and all at once', async () => {
          const longest = texts.map((field) => [field, longestText(field)] as const);
          for (const [field, value] of longest) if (value) await tried(field, value, postWith(field, value));
          const all = Object.fromEntries(longest.flatMap(([{ name }, value]) => (value ? [[name, value]] : [])));
          const answer = await post({ ...right(), ...all });
          assert.ok(answer.status < 500);
        });

        it('refuses numbers out of range, and values that are no number', async () => {
          for (const field of numbers) {
            await Promise.all(HOSTILE.numbers.map((value) => tried(field, value, postWith(field, value))));
            const wrong = field.kind === 'integer' ? [...HOSTILE.noNumbers, ...HOSTILE.noIntegers] : HOSTILE.noNumbers;
            const isAllowed = (value: unknown) =>
              Number.isSafeInteger(value) && Number(value) >= field.minimum && Number(value) < 0;
            const outOfRange = wrong.filter((value) => !isAllowed(value));
            if (isWithWrongForms) await Promise.all(outOfRange.map((value) => refusedIn(field, value)));
          }
        });

        if (isWithWrongForms) {
          it('refuses flags and lists that are none', async () => {
            for (const field of fields) {
              const wrong = field.kind === 'flag' ? HOSTILE.noFlags : field.kind === 'list' ? HOSTILE.noLists : [];
              await Promise.all(wrong.map((value) => refusedIn(field, value)));
            }
          });

          it('refuses bodies that are no JSON object', async () => {
            const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
            const wire = await Wire.open(app.port);
            for (const [error, bodies] of Object.entries(HOSTILE.bodies))
              for (const body of bodies) {
                const isLarge = body.length > 65_536;
                const bytes = requestBytes(endpoint.path, body, { headers: lines });
                if (!isLarge) wire.write(bytes);
                const answer = await (isLarge ? Wire.exchange(app.port, bytes) : wire.answer());
                assert.equal(answer.status, isLarge ? 413 : 400, body.subarray(0, 40).toString());
                assert.deepEqual(answer.body, { [endpoint.flag]: false, error });
              }
            wire.end();
          });

          it('takes of a key that comes twice the last, and nothing from prototypes', async () => {
            for (const field of fields) {
              const wrong = field.kind === 'list' ? '"x"' : '['.repeat(30_000) + ']'.repeat(30_000);
              const first = JSON.stringify({ ...right(), [field.name]: rightValue(field) });
              await refusedBody(field, wrong, `${first.slice(0, -1)},"${field.name}":${wrong}}`);
            }
            if (!hasRequired) return;
            for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
              const answer = await post(`{"${key}":${JSON.stringify(right())}}`);
              assert.deepEqual([answer.status, answer.body.error], [400, endpoint.missing]);
            }
          });

          it('names the missing fields of an empty request', async () => {
            if (!hasRequired) return;
            const deep = `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`;
            for (const body of [undefined, '', '{}', '{"adminSecret":null,"apiKey":""}', deep]) {
              const answer = await post(body);
              assert.equal(answer.status, 400);
              assert.deepEqual(answer.body, { [endpoint.flag]: false, error: endpoint.missing });
            }
          });
        }

        for (const method of endpoint.methods.filter((each) => each !== 'POST'))
          it(`${method} refuses the same fields in a query and in a body`, async () => {
            const query = (text: string) => app.send(`${endpoint.path}?${text}`, undefined, { method, headers });
            const queryWith = (field: Field, text: string) => {
              const { [field.name]: _, ...others } = right();
              const given = Object.entries(others).map(
                ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
              );
              return query([...given, `${field.name}=${text}`].join('&'));
            };
            const whole = texts.length > 0 ? HOSTILE.texts.map(encodeURIComponent) : [];
            for (const field of fields) {
              const isText = field.kind === 'text';
              const isNumber = numbers.includes(field);
              const some = isText ? [...whole, ...HOSTILE.queryTexts] : isNumber ? HOSTILE.numbers.map(String) : [];
              const tooLong = field.maximum < LONGEST_QUERY ? ['x'.repeat(field.maximum + 1)] : [];
              const wrong = isText
                ? ['%00', ...tooLong]
                : isNumber
                  ? HOSTILE.queryNoNumbers
                  : field.kind === 'flag'
                    ? ['yes', '1', 'TRUE', '%00']
                    : ['%00'];
              await Promise.all(some.map((text) => tried(field, text, queryWith(field, text))));
              await Promise.all(wrong.map((text) => refused(field, text, queryWith(field, text))));
            }
            for (const text of HOSTILE.queries) {
              const answer = await query(text);
              assert.ok([200, 400].includes(answer.status), text);
            }
          });
      });

    it('the service works as before', async () => {
      const machine = await new Machine(app, await app.license()).activated();
      assert.equal((await machine.validate()).status, 200);
      assert.equal((await machine.verify()).status, 200);
      const plain: Record<string, unknown> = {};
      assert.equal(plain.email, undefined);
    });
  });

/** Makes one of each thing that requests refer to. */
async function somethingOfEverything(app: TestApp): Promise<Right> {
  const creatorId = mintId();
  const slug = `product-${mintId()}`.toLowerCase();
  const { productId } = await mustSucceed(app.admin('/createProduct', { name: slug, slug, creatorId }));
  const { variantId } = await mustSucceed(app.admin('/createVariant', { productId, name: 'pro', maxMachines: 1000 }));
  const licenseKey = await app.license({ productId, variant: 'pro' });
  const machine = new Machine(app, licenseKey);
  machine.productId = productId;
  const { token } = await machine.activated();
  const discountCode = `CODE-${mintId()}`;
  await mustSucceed(app.admin('/createDiscountCode', { code: discountCode, trialDays: 7, productId }));
  const order = await mustSucceed(
    app.webhook('/createStudioOrder', {
      buyerEmail: 'head@school.example',
      buyerUserId: 'buyer',
      courseId: 'course',
      courseSlug: 'course',
      courseTitle: 'Course',
      creatorId,
      seatCount: 2,
      pricePerSeat: 100,
      totalAmount: 200,
      currency: 'usd',
    }),
  );
  return {
    productId,
    variantId,
    licenseKey,
    machineFingerprint: machine.fingerprint,
    token,
    discountCode,
    seatCode: order.seats[0].code,
    studioOrderId: order.studioOrderId,
    creatorId,
  };
}

function credentialOf({ access }: Endpoint): Record<string, string> {
  if (!needsCredential(access)) return {};
  return access.startsWith('webhook') ? { 'x-webhook-secret': WEBHOOK_SECRET } : { 'x-admin-secret': ADMIN_SECRET };
}

function shown(field: Field, value: unknown, body: unknown): string {
  return `${field.name}: ${JSON.stringify(value)?.slice(0, 60)} was answered with ${JSON.stringify(body).slice(0, 300)}`;
}
