/**
 * Replies to the customer, ready to send: no keys, none of the service's own terms, and no verdict. Pure.
 */
import type { EndpointCheck, License } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { lastGroup } from '../parts/key-text.ts';
import { roundedSpanText } from '../parts/span-words.ts';
import { dayText, momentText } from '../parts/time-words.ts';
import { machineName } from '../sentences/refusals.ts';
import { decidingCheck, type Explanation, runs } from './why-words.ts';

/** The words that a reply takes from elsewhere. */
export interface ReplyWords {
  /** The name of the product. */
  readonly product: string;
  /** The customer's time zone, as `Asia/Tokyo`; the reader's own by default, which is not named then. */
  readonly timeZone?: string | undefined;
}

/** A time for the customer: a day, or in the customer's own time zone the time and the zone as well. */
export function whenText(at: string, { timeZone }: ReplyWords): string {
  return timeZone === undefined ? dayText(at) : momentText(at, timeZone);
}

/** A whole reply from its paragraphs. */
export const letter = (body: readonly string[]) => ['Hello,', '', ...body, '', 'Kind regards'].join('\n');

/** A reply that follows the case. */
export function replyTo(explanation: Explanation, words: ReplyWords): string {
  const deciding = decidingCheck(explanation);
  const body = replyToCase(explanation, words) ?? replyBody(explanation, deciding, words);
  return letter([...body, ...otherKeyText(explanation, words)]);
}

/**
 * The sentence about the license of the customer that works; none without one. It names the last group of its key,
 * by which the customer recognises it and nobody else can use it.
 */
export function otherKeyText({ otherKey }: Explanation, { product }: ReplyWords): readonly string[] {
  if (otherKey === null) return [];
  return [`The key of your license for ${product} that works ends with ${lastGroup(otherKey)}.`];
}

/** The explained machine in a sentence. */
export function nameOf({ hostname }: Explanation['machine']): string {
  return hostname === null || hostname === '' ? 'your computer' : `"${hostname}"`;
}

/** The reply where the case asks for another one than the present answer; else null. */
function replyToCase({ license, verdict, lastRefusals }: Explanation, words: ReplyWords): readonly string[] | null {
  const { product } = words;
  const { evidence } = verdict;
  switch (verdict.code) {
    case 'shared':
      return [
        `your license for ${product} is for ${counted(evidence.limit ?? 1, 'computer')}, and ${counted(evidence.machines ?? 0, 'other computer')} tried to use it within ${roundedSpanText((evidence.withinHours ?? 1) * 3_600)}. That is why further computers are refused.`,
        'If somebody else has your key, answer this e-mail, and we will give you a new one.',
      ];
    case 'other_license': {
      const on = license.expiresAt === null ? '' : ` ended on ${whenText(license.expiresAt, words)}`;
      return [
        `the key that your app uses belongs to a license for ${product} that${on === '' ? ' ended' : on}. You have another one, which works.`,
        'Please enter the key of your present license in the license settings of the app.',
      ];
    }
    case 'wrong_product': {
      const asked = lastRefusals.find(({ code }) => code === 'wrong_product')?.details.productId;
      if (typeof asked !== 'string') return null;
      return wrongProductReply(product, asked);
    }
    default:
      return null;
  }
}

function wrongProductReply(licensed: string, asked: string): readonly string[] {
  return [
    `your license is for ${licensed}, and the app you started is ${asked}.`,
    'Please install the app that your license is for, or get a license for the other one.',
  ];
}

function replyBody(explanation: Explanation, check: EndpointCheck | null, words: ReplyWords): readonly string[] {
  const { license, machine } = explanation;
  const { product } = words;
  const name = nameOf(machine);
  const because = check?.because ?? {};
  switch (check?.outcome ?? 'ok') {
    case 'ok':
      return [
        `your license for ${product} is in order, and ${name} can use it now.`,
        'Please start the app again. If it still asks for a license, enter your key once more.',
      ];
    case 'machine_limit':
      return because.user === undefined
        ? limitReply(license, name, because, product)
        : [
            `a user of your license for ${product} may have ${counted(because.limit ?? 0, 'machine')}, and ${because.user} has as many already.`,
            `Please deactivate one of them in the app, or tell us which one to remove, and start the app on ${name} once more.`,
          ];
    case 'user_limit':
      return [
        `your license for ${product} is for ${counted(because.limit ?? 0, 'user')}, and others hold every seat.`,
        'Please tell us who does not need the seat any more, or ask us for another one.',
      ];
    case 'user_required':
      return [
        `your license for ${product} is for named users, and the app on ${name} did not say who uses it.`,
        'Please sign in to the app, and start it once more.',
      ];
    case 'license_replaced':
      return [
        `your license for ${product} has a new key, and the former one works no more.`,
        'Please enter the new key in the license settings of the app. If you do not find it, answer this mail.',
      ];
    case 'license_revoked':
      return because.revocation === 'refund' || because.revocation === 'chargeback'
        ? [
            `your license for ${product} was ended because its payment was returned.`,
            'If that was not what you wanted, answer this e-mail and we will look into it together.',
          ]
        : [
            `your license for ${product} was ended.`,
            'If you think this is a mistake, answer this e-mail and we will look into it together.',
          ];
    case 'license_expired': {
      const on = because.expiresAt ?? license.expiresAt;
      return [
        `your license for ${product} ended${on === null ? '' : ` on ${whenText(on, words)}`}.`,
        'Please renew it, or answer this e-mail if you have already renewed it.',
      ];
    }
    case 'wrong_product':
      return wrongProductReply(product, because.productId ?? 'another one');
    case 'activation_rate':
      if (runs(explanation))
        return [
          `${name} keeps working. It tried to activate your license again many times within an hour, so further tries are refused for a while.`,
          'You need not do anything. If the app asks for your key at each start, please tell us.',
        ];
      return [
        `${name} tried to activate your license many times within an hour, so further tries are refused for a while.`,
        'Please close the app, wait an hour, and start it once more.',
      ];
    case 'machine_not_activated':
      return [
        `${name} is not activated at the moment.`,
        'Please open the license settings of the app and enter your key once more.',
      ];
    case 'invalid_token':
      return [
        `${name} was not in use for so long that its activation has run out.`,
        'Please open the license settings of the app and enter your key once more. You do not need a new key.',
      ];
    case 'update_not_covered':
      return [
        `this version of ${product} is newer than the updates that your license covers.`,
        'Please renew the updates, or go on with the version that you had before.',
      ];
    case 'feature_missing':
      return [
        `your license for ${product} does not include this function; everything else works.`,
        'Please get the edition that has it, or tell us which one you bought.',
      ];
    case 'meter_limit': {
      const { used = 0, limit = 0, meter = '', resetsAt } = because;
      const again = resetsAt == null ? '' : ` It counts anew from ${whenText(resetsAt, words)} on.`;
      return [
        `your license for ${product} includes ${limit} of “${meter}”, and ${used} are used.${again}`,
        'You are welcome to get the edition that includes more.',
      ];
    }
    case 'meter_not_found':
      return [
        `the edition of ${product} that you bought does not include what the app counts; everything else works.`,
        'Please get the edition that has it, or tell us which one you bought.',
      ];
  }
}

function limitReply(
  license: License,
  name: string,
  because: NonNullable<EndpointCheck['because']>,
  product: string,
): readonly string[] {
  const { limit = 0, used = 0, usedBy = [] } = because;
  const noun = license.licenseType === 'floating' ? 'session' : 'computer';
  const holders = usedBy.slice(0, 3).map(({ hostname, fingerprint }) => `"${machineName({ hostname, fingerprint })}"`);
  const by =
    holders.length === 0
      ? ''
      : `: ${holders.join(', ')}${used > holders.length ? ` and ${used - holders.length} more` : ''}`;
  const way =
    license.licenseType === 'floating'
      ? 'Please close the app on one of them; its place is free soon after.'
      : 'Please deactivate the app on one that you do not use any more, or tell us which one we may free for you.';
  return [
    `your license for ${product} is for ${counted(limit, noun)} at once, and all are in use${by}. That is why ${name} cannot get in.`,
    way,
  ];
}
