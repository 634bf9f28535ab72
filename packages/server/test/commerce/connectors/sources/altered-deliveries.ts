/** Deliveries that somebody altered on their way, each in one way. Chance comes from a seed. */
import type { Delivery } from '../../../../src/commerce/connectors/sources/source.ts';

/** A delivery that was altered, with a word for the way. */
export interface Altered {
  readonly way: string;
  readonly delivery: Delivery;
}

/** A generator of whole numbers below a bound; the same for the same seed. */
export function chanceOf(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    // Marsaglia's xorshift.
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** The headers that a signature covers or consists of. */
const SIGNED = /signature|hmac|^webhook-(id|timestamp)$/;

/** The same delivery, altered in `count` ways. No way leaves it as it was. */
export function alteredDeliveries(delivery: Delivery, count: number, seed: number): readonly Altered[] {
  const chance = chanceOf(seed);
  const headers = Object.keys(delivery.headers).filter((name) => SIGNED.test(name));
  return Array.from({ length: count }, () => alter(delivery, headers, chance));
}

function alter(delivery: Delivery, headers: readonly string[], chance: (below: number) => number): Altered {
  const body = Buffer.from(delivery.body);
  const at = chance(body.length);
  const name = headers[chance(headers.length)]!;
  const value = delivery.headers[name]![0]!;
  const withHeader = (...values: string[]) => ({ ...delivery, headers: { ...delivery.headers, [name]: values } });
  switch (chance(9)) {
    case 0:
      body[at] = (body[at]! + 1 + chance(94)) % 127;
      return body.equals(Buffer.from(delivery.body))
        ? alter(delivery, headers, chance)
        : { way: 'byte', delivery: { ...delivery, body } };
    case 1:
      return { way: 'body cut', delivery: { ...delivery, body: body.subarray(0, at) } };
    case 2:
      return { way: 'body longer', delivery: { ...delivery, body: Buffer.concat([body, Buffer.from(' ')]) } };
    case 3: {
      const place = chance(value.length);
      const other = '0123456789abcdefABCDEF+/=,;.'[chance(28)]!;
      const changed = value.slice(0, place) + other + value.slice(place + 1);
      return changed === value
        ? alter(delivery, headers, chance)
        : { way: `${name} changed`, delivery: withHeader(changed) };
    }
    case 4:
      return { way: `${name} cut`, delivery: withHeader(value.slice(0, chance(value.length))) };
    case 5:
      return { way: `${name} absent`, delivery: withHeader() };
    case 6:
      return { way: `${name} empty`, delivery: withHeader('') };
    case 7:
      return { way: `${name} twice`, delivery: withHeader(value, value) };
    default: {
      const place = chance(value.length);
      const longer = value.slice(0, place) + value[place] + value.slice(place);
      return { way: `${name} longer`, delivery: withHeader(longer) };
    }
  }
}
