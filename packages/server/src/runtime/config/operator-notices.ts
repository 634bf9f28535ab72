/** Reads the settings of e-mails to the operator. */
import { isMailable } from '../../customers/mail/address.ts';
import { foldEmail } from '../../ground/base/typed-text.ts';
import { NOTICE_KINDS, type NoticeKind } from '../../insight/operator-notices/notice-kinds.ts';
import { ConfigValueError, type Form } from './forms.ts';

/** The recipients of e-mails about conditions of the service. */
export interface OperatorNoticeConfig {
  /** At least one. */
  readonly addresses: readonly string[];
  readonly kinds: readonly NoticeKind[];
}

/** The variables, with their defaults. */
export const OPERATOR_NOTICE_DEFAULTS = {
  LATCHKEY_OPERATOR_EMAIL: null,
  LATCHKEY_OPERATOR_NOTICES: NOTICE_KINDS.join(','),
} as const;

const MAX_ADDRESSES = 5;

const operatorAddresses: Form<readonly string[]> = (text) => {
  const addresses = text.split(',').map((part) => part.trim());
  const areDifferent = new Set(addresses.map(foldEmail)).size === addresses.length;
  if (addresses.every(isMailable) && areDifferent && addresses.length <= MAX_ADDRESSES) return addresses;
  throw new ConfigValueError(
    `must be 1 to ${MAX_ADDRESSES} different addresses separated by commas, such as ops@example.com,you@example.com`,
  );
};

const noticeKinds: Form<readonly NoticeKind[]> = (text) => {
  const names = text.split(',').map((part) => part.trim());
  const kinds = NOTICE_KINDS.filter((kind) => names.includes(kind));
  if (kinds.length === names.length) return kinds;
  const strange = names.find((name, at) => !kinds.some((kind) => kind === name) || names.indexOf(name) !== at);
  throw new ConfigValueError(
    `has the entry ${JSON.stringify((strange ?? '').slice(0, 40))}; it must be different kinds of ${NOTICE_KINDS.join(', ')}, ` +
      'separated by commas',
  );
};

type Variable = keyof typeof OPERATOR_NOTICE_DEFAULTS;

/** Returns the settings; null if nobody is told. */
export function readOperatorNotices(
  optional: <Value>(name: Variable, form: Form<Value>) => Value | null,
): OperatorNoticeConfig | null {
  const addresses = optional('LATCHKEY_OPERATOR_EMAIL', operatorAddresses);
  const kinds = optional('LATCHKEY_OPERATOR_NOTICES', noticeKinds);
  return addresses === null || kinds === null ? null : Object.freeze({ addresses, kinds });
}
