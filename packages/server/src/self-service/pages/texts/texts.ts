/** The sentences of the pages. Each language gives all of them, which the compiler checks. */
import type { KeptRefusalCode } from '../../../observed-calls/kept-refusal.ts';
import type { Html } from '../html.ts';

/** A form that asks for one thing. */
interface FieldTexts {
  readonly label: string;
  readonly hint: string;
  readonly button: string;
}

/** A page that says one thing. */
interface NoticeTexts {
  readonly title: string;
  readonly text: string;
}

/** Refusals that the device of a license got, in the past tense, for a customer. */
type RefusalTexts = Readonly<Record<Exclude<KeptRefusalCode, 'machine_limit'>, string>>;

/**
 * All sentences in one language. Arguments of type Html are names, dates or links that are escaped already; `count` is
 * a number of things, so the sentence chooses singular or plural.
 */
export interface Texts {
  /** The language in its own words. */
  readonly languageName: string;
  readonly languages: string;
  /** Stands before the title of a page whose form was refused. */
  readonly error: string;
  readonly skip: string;
  readonly help: (support: Html) => Html;
  readonly supportPage: string;
  readonly back: string;
  readonly cancel: string;

  readonly ask: {
    readonly title: string;
    readonly lead: string;
    readonly field: FieldTexts;
    readonly privacy: string;
    readonly missing: string;
    readonly invalid: string;
    readonly withoutMail: string;
    readonly withoutShop: string;
  };
  readonly code: {
    readonly title: string;
    readonly lead: string;
    readonly field: FieldTexts;
    readonly missing: string;
    readonly notAccepted: string;
    readonly notAsked: string;
    readonly again: string;
  };
  readonly link: {
    readonly title: string;
    readonly lead: string;
    readonly button: string;
    readonly notAccepted: NoticeTexts;
    readonly askForCode: string;
  };
  readonly session: {
    readonly signedInAs: (email: Html) => Html;
    readonly signOut: string;
    readonly signedOut: string;
    readonly ended: string;
  };
  readonly licenses: {
    readonly title: string;
    readonly none: string;
    readonly open: (product: Html) => Html;
    readonly sendKeys: (email: Html) => Html;
    readonly keysSent: string;
    readonly keysSentLately: string;
    readonly more: string;
  };
  readonly license: {
    readonly status: string;
    readonly statuses: { readonly active: string; readonly expired: string; readonly revoked: string };
    readonly ends: string;
    readonly ended: string;
    readonly neverEnds: string;
    readonly slots: string;
    /** `slots` is null without a limit; a floating license counts the computers that use it at the same time. */
    readonly slotsUsed: (used: number, slots: number | null, isFloating: boolean) => string;
    readonly key: string;
    readonly showKey: string;
    readonly revoked: string;
    readonly expired: string;
  };
  readonly refusals: {
    readonly title: string;
    readonly noSlot: (device: Html | null, day: Html, slots: number | null) => Html;
    readonly because: (device: Html | null, day: Html, reason: string) => Html;
    readonly reasons: RefusalTexts;
    readonly worksNow: string;
    readonly freeOne: string;
  };
  readonly devices: {
    readonly title: string;
    readonly none: string;
    readonly unnamed: string;
    readonly first: (day: Html) => Html;
    readonly last: (day: Html) => Html;
    readonly from: (country: string) => string;
    readonly running: string;
    readonly free: (device: Html) => Html;
    readonly tooNew: string;
    readonly hasFile: string;
    readonly spent: (day: Html | null) => Html;
    /** `day` is when the next one may be freed; null while any is left. */
    readonly budget: (left: number, of: number, day: Html | null) => Html;
    readonly off: string;
    readonly more: string;
  };
  readonly release: {
    readonly title: string;
    readonly question: (device: Html) => Html;
    readonly effect: string;
    readonly running: string;
    readonly costsNothing: string;
    readonly counts: (left: number, of: number) => string;
    readonly button: string;
    readonly done: string;
    readonly gone: string;
    readonly refused: string;
  };
  readonly file: {
    readonly title: string;
    readonly lead: string;
    readonly field: FieldTexts;
    readonly missing: string;
    readonly notAccepted: string;
    readonly spent: (day: Html | null) => Html;
    readonly refused: string;
  };
  readonly notices: {
    readonly licenseGone: NoticeTexts;
    readonly foreignForm: NoticeTexts;
    readonly notFound: NoticeTexts;
    readonly badForm: NoticeTexts;
    readonly tooMany: NoticeTexts;
    readonly busy: NoticeTexts;
    readonly failed: NoticeTexts;
  };
  readonly toStart: string;
}
