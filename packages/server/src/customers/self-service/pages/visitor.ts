/** A request to the pages without its transport, and the answers of the pages. */
import type { CallAnswer, RefusedCall } from '../../../platform/endpoint/inner.ts';
import type { CustomerCallName, CustomerReply, Language } from '../shapes.ts';
import type { Cookies } from './cookies.ts';
import type { Content, View } from './frame.ts';
import type { Notice } from './notice-page.ts';

/** A request to the pages. */
export interface Visitor {
  /** The parameters of the address that occur once. */
  readonly query: Readonly<Record<string, string>>;
  /** The fields of the form; none for GET. */
  readonly form: Readonly<Record<string, string>>;
  readonly cookies: Cookies;
  readonly language: Language;
  readonly call: CallForCustomer;
}

/** Runs one of the calls in shapes.ts. Fields are as the form holds them; bad ones are refused. */
export type CallForCustomer = <Name extends CustomerCallName>(
  name: Name,
  fields: Readonly<Record<string, unknown>>,
) => Promise<CallAnswer<CustomerReply<Name>>>;

/** The answer to a request. */
export type Step =
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly view: View;
      readonly content: Content;
      readonly refusal?: RefusedCall;
    }
  /** After a write, so that a reload repeats nothing. `cookies` are values of `Set-Cookie`. */
  | { readonly kind: 'redirect'; readonly to: string; readonly cookies: readonly string[] }
  /** A page that needs nothing of the service. */
  | { readonly kind: 'notice'; readonly status: number; readonly notice: Notice; readonly refusal?: RefusedCall };

/** The answer of a path to a method. */
export type Answering = (visitor: Visitor) => Promise<Step>;

/** A page; `refusal` is why a form was refused, for the log. */
export function pageStep(status: number, view: View, content: Content, refusal?: RefusedCall): Step {
  return { kind: 'page', status, view, content, ...(refusal === undefined ? {} : { refusal }) };
}

/** The answer to a form that no page of this session contained. */
export const FOREIGN_FORM: Step = { kind: 'notice', status: 403, notice: 'foreignForm' };

/** A redirect after a write, or to the page that the visitor needs first. */
export function redirect(to: string, ...cookies: readonly string[]): Step {
  return { kind: 'redirect', to, cookies };
}

/** A page without content of its own, for a refusal that no form explains. */
export function noticeFor(refusal: RefusedCall): Step {
  const { status } = refusal;
  const notice = status === 429 ? 'tooMany' : status === 503 ? 'busy' : status === 404 ? 'licenseGone' : 'failed';
  return { kind: 'notice', status: notice === 'failed' ? 500 : status, notice, refusal };
}
