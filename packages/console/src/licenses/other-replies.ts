/** Replies to choose instead of the suggested one: a declining one for each case, and templates. Pure. */
import type { License, ReplyTemplate, VerdictCode } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { letter, nameOf, otherKeyText, type ReplyWords, whenText } from './reply-words.ts';
import { decidingCheck, type Explanation } from './why-words.ts';
import { type KnownMachines, slotLimit, slotsUsed } from './words.ts';

/** The zones to choose from. */
export function timeZones(): readonly string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
}

/** A reply that declines, for any case. */
export function declineTo(explanation: Explanation, words: ReplyWords): string {
  return letter([...declineBody(explanation, words), ...otherKeyText(explanation, words)]);
}

function declineBody({ license, machine, verdict }: Explanation, words: ReplyWords): readonly string[] {
  const { product } = words;
  const { evidence } = verdict;
  const name = nameOf(machine);
  const limit = evidence.limit ?? slotLimit(license);
  const places = limit > 0 ? counted(limit, 'computer') : 'a number of computers';
  const isFull = `your license for ${product} is for ${places}, and we cannot add ${name} to them.`;
  const freeOne = [
    isFull,
    'Please deactivate the app on a computer that you do not use any more, or get another license.',
  ];
  const bodies: Readonly<Record<VerdictCode, readonly string[]>> = {
    charged_back: [
      `the payment for your license for ${product} was charged back, so the license has ended, and we cannot restore it.`,
      'You are welcome to buy a new one.',
    ],
    refunded: [
      `the payment for your license for ${product} was refunded, so the license has ended, and we cannot restore it.`,
      'You are welcome to buy a new one.',
    ],
    fraud_reported: [
      `the purchase of your license for ${product} was reported to us as not made by its owner, so we cannot restore the license.`,
      'If you bought it yourself, please send us the receipt.',
    ],
    replaced: [
      `your license for ${product} has a new key, and we cannot let in the one that the app uses.`,
      'Please enter the new key in the license settings of the app. If you do not find it, answer this mail.',
    ],
    revoked: [
      `your license for ${product} was ended, and we cannot restore it.`,
      'If you think this is a mistake, please tell us why.',
    ],
    shared: [
      `your license for ${product} is for ${places}, and many more tried to use it, so we cannot let in any further ones.`,
      'Each person needs a license of their own. If somebody else has your key, answer this e-mail, and we will give you a new one.',
    ],
    wrong_product: [
      `your license is for ${product} only, so we cannot open the other app with it.`,
      'You are welcome to get a license for that app.',
    ],
    other_license: [
      `the license for ${product} whose key your app uses has ended, and we cannot extend it, because you have another one that works.`,
      'Please enter the key of your present license in the license settings of the app.',
    ],
    expired: [
      `your license for ${product} ended${license.expiresAt === null ? '' : ` on ${whenText(license.expiresAt, words)}`}, and we cannot extend it free of charge.`,
      'You are welcome to renew it.',
    ],
    build_not_covered: [
      `your license for ${product} does not cover this version, and we cannot extend its updates free of charge.`,
      'The versions that it covers run on. You are welcome to renew the updates.',
    ],
    attempts_used_up: [
      `${name} tried to activate your license for ${product} many times within an hour, and we cannot lift that limit.`,
      'Please close the app, wait an hour, and start it once more.',
    ],
    no_seat: [
      `your license for ${product} is for named users, others hold every seat, and we cannot add one free of charge.`,
      'Please tell us who does not need the seat any more, or get more seats.',
    ],
    no_user: [
      `your license for ${product} is for named users, and we cannot say from here who uses it on ${name}.`,
      'Please sign in to the app, and start it once more.',
    ],
    user_has_machines: [
      `you use ${product} on as many computers as a user of your license may have, and we cannot add any.`,
      'Please deactivate it on one of them, or tell us which one we may free for you.',
    ],
    seats_in_use: [
      `your license for ${product} is for ${places} at once, all are in use, and we cannot add any.`,
      'Please close the app on one of them, or get a license for more.',
    ],
    reinstalled: freeOne,
    dead_machine: [isFull, 'Please tell us which of the computers we may free for you, or get another license.'],
    new_computer: freeOne,
    activate_again: [
      `we cannot activate ${product} on ${name} from here.`,
      'Please open the license settings of the app and enter your key once more.',
    ],
    feature_not_included: [
      `your license for ${product} does not include this function, and we cannot add it free of charge.`,
      'You are welcome to get the edition that has it.',
    ],
    usage_used_up: [
      `you have used all that your license for ${product} includes for now, and we cannot add to it free of charge.`,
      'You are welcome to get the edition that includes more.',
    ],
    works: [
      `your license for ${product} is in order, and ${name} can use it, so there is nothing that we could change.`,
      'If the app still asks for a license, please send us a screenshot of its message.',
    ],
  };
  return bodies[verdict.code];
}

/** The templates in the order in which they fit: those for this case first, then those for any, then the others. */
export function templatesFor(templates: readonly ReplyTemplate[], code: VerdictCode): readonly ReplyTemplate[] {
  const rank = ({ verdict }: ReplyTemplate) => (verdict === code ? 0 : verdict === null ? 1 : 2);
  return [...templates].sort((one, other) => rank(one) - rank(other) || one.name.localeCompare(other.name, 'en'));
}

/** The text of a template with its placeholders filled in. */
export function filledIn(text: string, explanation: Explanation, machines: KnownMachines, words: ReplyWords): string {
  const { license, machine } = explanation;
  const deciding = decidingCheck(explanation);
  // The limit of another answer is not one of slots: `activation_rate` has that of attempts in an hour.
  const because = deciding?.outcome === 'machine_limit' ? deciding.because : null;
  const limit = because?.limit ?? slotLimit(license);
  const values: Readonly<Record<string, string>> = {
    product: words.product,
    machine: nameOf(machine),
    email: license.email,
    end: license.expiresAt === null ? 'no end' : whenText(license.expiresAt, words),
    limit: limit < 0 ? 'unlimited' : String(limit),
    used: because?.used === undefined ? usedText(license, machines) : String(because.used),
  };
  return text.replace(/\{([a-z]+)\}/g, (written, name: string) => values[name] ?? written);
}

/** The number of used slots in words, as far as it is known. */
function usedText(license: License, machines: KnownMachines): string {
  const { count, isLeast } = slotsUsed(license, machines);
  if (!isLeast) return String(count);
  return count === 0 ? 'some' : `at least ${count}`;
}
