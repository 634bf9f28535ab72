/** The settings of e-mails to the operator. */
import type { NoticeKind } from './notice-kinds.ts';

/** The recipients of e-mails to the operator, and the kinds that they get. */
export interface OperatorNotices {
  /** At least one. */
  readonly addresses: readonly string[];
  readonly kinds: readonly NoticeKind[];
  /** The address of the console for browsers, without a slash at its end; null: e-mails have no links. */
  readonly consoleUrl: string | null;
  /** The operator's name for this installation, which begins each subject; null if it has none. */
  readonly label: string | null;
}

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Null: no address of the operator is configured. */
    readonly operatorNotices: OperatorNotices | null;
  }
}
