/** The sentences of the pages in English. The other languages give the same ones, which the compiler checks. */
import { type Html, html } from '../html.ts';

const computers = (count: number) => (count === 1 ? '1 computer' : `${count} computers`);
const allTaken = (slots: number) => (slots === 1 ? 'that one is taken' : 'all of them are taken');

/**
 * Arguments of type Html are names, dates or links that are escaped already; numbers count things, so the sentence
 * chooses singular or plural.
 */
export const english = {
  /** The language in its own words. */
  languageName: 'English',
  languages: 'Language',
  /** Stands before the title of a page whose form was refused. */
  error: 'Error',
  skip: 'Skip to the content',
  help: (support: Html) => html`Questions? ${support}`,
  supportPage: 'Support',
  back: 'All licenses',
  cancel: 'Keep it',
  stop: 'Get no file',
  ask: {
    title: 'Find your licenses',
    lead: 'See your licenses and your computers, and free a computer that you no longer use.',
    field: {
      label: 'E-mail address',
      hint: 'The address that you gave when you bought.',
      button: 'Send me a code',
    },
    privacy: 'We send a code to this address if it has licenses here. This page looks the same for every address.',
    missing: 'Enter your e-mail address.',
    invalid: 'This is not an e-mail address. It has one @ and no blanks, like ada@example.com.',
    /** `support` is the way to support; null if the shop names none. The same holds for the sentences below. */
    withoutMail: (support: Html | null) =>
      support === null
        ? html`Ask the shop where you bought for a link to your licenses. Write from the address that you gave when you bought.`
        : html`Support sends you a link that opens your licenses. Write from the address that you gave when you bought: ${support}`,
    withoutShop:
      'Open the page of the shop where you bought. Its link stands in the e-mail that came with your license.',
  },
  code: {
    title: 'Enter the code',
    lead: 'If the address has licenses here, an e-mail with a code is on its way. It can take a few minutes; look among unwanted mail, too.',
    field: {
      label: 'Code from the e-mail',
      hint: '8 characters, like K7QW-2MNP. It is good for 10 minutes, in this browser only.',
      button: 'Sign in',
    },
    missing: 'Enter the code from the e-mail.',
    notAccepted: 'This code is not accepted. Compare it with the e-mail, or ask for another one.',
    notAsked: 'This browser has not asked for a code, or its code has ended. Ask for another one.',
    again: 'Ask for another code',
  },
  link: {
    title: 'Open your licenses',
    lead: 'This link works once, and opens your licenses in this browser.',
    button: 'Open my licenses',
    notAccepted: {
      title: 'This link has ended',
      text: 'It was used already, or its time is over. Ask the person who sent it for another one.',
    },
    askForCode: 'Sign in with a code by e-mail',
  },
  session: {
    signedInAs: (email: Html) => html`Signed in as ${email}`,
    signOut: 'Sign out',
    signedOut: 'You are signed out.',
    ended: 'Your session has ended. Sign in again.',
  },
  licenses: {
    title: 'Your licenses',
    none: 'There are no licenses for this address here. Perhaps you bought with another one.',
    open: (product: Html) => html`Computers and details<span class="unseen"> of ${product}</span>`,
    sendKeys: (email: Html) => html`E-mail my keys to ${email}`,
    keysSent: 'An e-mail with your license keys is on its way.',
    keysSentLately: 'Your license keys were sent a short while ago. Look among your e-mails, also the unwanted ones.',
    more: 'More licenses',
  },
  license: {
    trial: 'Trial',
    bought: 'Bought',
    issued: 'Issued',
    statuses: { active: 'Active', expired: 'Expired', revoked: 'Withdrawn' },
    ends: 'Ends',
    ended: 'Ended',
    neverEnds: 'Never',
    beginsLater: 'Not yet: its time begins with the first computer',
    slots: 'Computers',
    /** `slots` is null without a limit; a floating license counts the computers that use it at the same time. */
    slotsUsed(used: number, slots: number | null, isFloating: boolean) {
      const atOnce = isFloating ? ' at once' : '';
      return slots === null ? `${used}${atOnce}, without a limit` : `${used} of ${slots}${atOnce}`;
    },
    key: 'License key',
    showKey: 'Show the key',
    copyKey: 'Copy the key',
    copied: 'Copied',
    links: { download: 'Download', renew: 'Renew', receipt: 'Receipts' },
    revoked: (support: Html | null) =>
      html`This license was withdrawn. ${support === null ? 'Please ask the shop where you bought it.' : html`Please write to support: ${support}`}`,
    expired: 'This license has expired. Programs no longer accept it.',
    updates: 'Updates until',
    grace: (day: Html) => html`The paid time is over. Programs accept the license until ${day}.`,
    /** The end of the present period of a meter. */
    until: (day: Html) => html` until ${day}`,
  },
  newKey: {
    title: 'A new key',
    button: 'Get a new key',
    question: (product: Html) => html`Get a new key for ${product}?`,
    effect:
      'The old key stops working on all computers until the new one is entered there; some programs take it over by themselves. Get one if somebody else knows your key.',
    once: 'You can do this once in 30 days, and you cannot take it back.',
    keep: 'Keep the old key',
    done: 'Your license has a new key. Enter it where a program asks for it.',
    doneAndMailed:
      'Your license has a new key, and an e-mail with it is on its way. Enter it where a program asks for it.',
    refused: 'No further key was made: the license got a new one already, or it gets none here.',
    spent: (day: Html | null) => html`You can get another new key ${day === null ? 'later' : html`from ${day} on`}.`,
  },
  refusals: {
    title: 'Refused computers',
    noSlot: (device: Html | null, day: Html, slots: number | null) =>
      html`${device === null ? 'A computer' : html`“${device}”`} was refused on ${day}: ${slots === null ? 'all computers of the license are taken' : `the license is for ${computers(slots)}, and ${allTaken(slots)}`}.`,
    because: (device: Html | null, day: Html, reason: string) =>
      html`${device === null ? 'A computer' : html`“${device}”`} was refused on ${day}: ${reason}.`,
    /** Refusals that the device of a license got, in the past tense, for a customer. */
    reasons: {
      activation_rate: 'it was tried too often within an hour',
      license_expired: 'the license had expired',
      license_replaced: 'another key had taken the place of the key of the license',
      license_revoked: 'the license had been withdrawn',
      wrong_product: 'the license is for another program',
      machine_not_activated: 'the license was not activated on it',
      invalid_token: 'it had to activate the license again',
      token_mismatch: 'it had to activate the license again',
      update_not_covered: 'the license does not cover this version',
      feature_missing: 'the license does not include this function',
      user_required: 'the app did not say who uses it',
      user_limit: 'other people hold all seats of the license',
      meter_limit: 'what the license includes was used up',
      meter_not_found: 'the license does not include this function',
      request_id_reused: 'the program reported one use twice',
    },
    worksNow: 'It would work now: start the program on it again.',
    freeOne: 'Free a computer that you no longer use.',
  },
  devices: {
    title: 'Your computers',
    none: 'No computer uses this license.',
    unnamed: 'Computer without a name',
    first: (day: Html) => html`First seen on ${day}`,
    last: (day: Html) => html`Last seen on ${day}`,
    from: (country: string) => `from ${country}`,
    running: 'Running now',
    free: (device: Html) => html`Free “${device}”`,
    tooNew: 'It was added less than an hour ago. You can free it later.',
    hasFile: (day: Html | null) =>
      html`It works without a connection ${day === null ? 'as long as the license lasts' : html`until ${day}`}, with a file. Only support can free it before.`,
    spent: (day: Html | null) => html`You can free it ${day === null ? 'later' : html`from ${day} on`}.`,
    /** `day` is when the next one may be freed; null while any is left. */
    budget: (left: number, of: number, day: Html | null) =>
      html`${left === 0 ? html`You can free another computer ${day === null ? 'later' : html`from ${day} on`}` : `You can free ${left === 1 ? 'one more computer' : `${left} more computers`}`}; the license allows ${of} within 30 days. A computer that was not used for 30 days does not count.`,
    off: 'Support frees computers that you no longer use.',
    more: 'This list shows 200 of the computers. Support can help with the others.',
  },
  users: {
    title: 'Users',
    machines: (count: number) => (count === 1 ? 'One computer' : `${count} computers`),
    release: (user: Html) => html`Release “${user}”`,
    releaseTitle: 'Release a user',
    question: (user: Html) => html`Release “${user}”?`,
    effect: 'The seat is free for another person, and the computers of the user no longer have the license.',
    button: 'Release this user',
    done: 'The user was released.',
    refused: 'The user was not released. The list below says why.',
  },
  release: {
    title: 'Free a computer',
    question: (device: Html) => html`Free “${device}”?`,
    effect: 'The program on it then no longer has the license. Another computer can take the place.',
    running: 'The program runs on it now. Close it there first, or it takes the place again.',
    costsNothing: 'It was not used for 30 days, so this does not count.',
    counts: (left: number, of: number) => `You have ${left} of ${of} left within 30 days. This uses one of them.`,
    button: 'Free this computer',
    done: 'The computer is freed. Now start the program on the new computer first: the old one takes the place again if it runs.',
    gone: 'The computer is no longer in the list. Nothing was changed.',
    refused: 'The computer was not freed. The list says why.',
  },
  file: {
    title: 'A computer without a connection',
    lead: 'The program on that computer shows a request. Paste it here, and take the file that you get to the computer.',
    field: {
      label: 'Request of the program',
      hint: 'The whole text, from its first line to its last.',
      button: 'Get the file',
    },
    missing: 'Paste the request of the program.',
    notAccepted:
      'This is not a request of the program for this license. Copy the whole text, from its first line to its last.',
    spent: (day: Html | null) =>
      html`This license has had all its files for now. ${day === null ? 'Support can help.' : html`The next one is possible from ${day} on.`}`,
    refused: (support: Html | null) =>
      html`The license allows no file for this computer. Free a computer first${support === null ? '.' : html`, or write to support: ${support}`}`,
    /** Asked before the file is made. `left` counts this file, too. */
    question: (device: Html) => html`Get a file for “${device}”?`,
    takes: (day: Html | null) =>
      html`The computer takes a place of the license ${day === null ? 'as long as the license lasts' : html`until ${day}`}. You cannot take it back before: only support can free the computer.`,
    keeps: (day: Html | null) =>
      html`The computer keeps its place of the license ${day === null ? 'as long as the license lasts' : html`until ${day}`}. You cannot take it back before: only support can free the computer.`,
    counts: (left: number, of: number) =>
      `You have ${left} of ${of} files left within 365 days. This uses one of them.`,
    countsNothing: 'The computer has a file already, so another one does not count.',
    done: (device: Html) => html`The file for “${device}” is ready`,
    take: 'Take the file to the computer. The service does not keep it; within the year you get another one for this computer here.',
    save: 'Save the file',
    text: 'Text of the file',
    toLicense: 'Computers of this license',
  },
  notices: {
    licenseGone: { title: 'This license is not in your list', text: 'Perhaps it belongs to another address.' },
    foreignForm: {
      title: 'Please try again here',
      text: 'The form did not come from this page, so nothing was changed. Open the page again and repeat what you wanted to do.',
    },
    notFound: { title: 'This page does not exist', text: 'Check the address, or begin again.' },
    badForm: {
      title: 'This could not be read',
      text: 'The form arrived damaged or was too long. Nothing was changed.',
    },
    tooMany: {
      title: 'Too many tries',
      text: 'Too many requests came from your network. Wait an hour, then try again.',
    },
    busy: {
      title: 'Please wait a moment',
      text: 'The service has much to do. Nothing was changed. Try again in a minute.',
    },
    failed: {
      title: 'Something went wrong',
      text: 'The service failed. Look at your licenses before you try again: perhaps the change was made.',
    },
  },
  toStart: 'To the first page',
};

/** The sentences of a language. */
export type Texts = Fixed<typeof english>;

/** Sentences and functions that nobody replaces. */
type Fixed<Part> = Part extends string | ((...given: never) => unknown)
  ? Part
  : { readonly [Name in keyof Part]: Fixed<Part[Name]> };
