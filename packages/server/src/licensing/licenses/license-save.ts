/** A decision on a license: the writes and the event entries that licenses/save.ts makes of it. */
import type { Change, Origin } from '../../platform/events/event.ts';
import type { MachineChanges } from '../machines/activation.ts';
import type { LicenseUser, UserOfLicense } from '../machines/user.ts';
import type { Violation } from '../violations/violation.ts';
import type { License, UsedLicense } from './license.ts';

/** An entry in the events of a license, without the fields that all entries of one license share. */
export interface LicenseEntry extends Pick<Change, 'type' | 'subject' | 'before' | 'after'> {
  readonly origin: Origin;
  /** From mintEventId, when a reply names the event. */
  readonly eventId?: string;
}

/** The entry for a violation that is added to a license. */
export function openedEntry(violation: Violation, threatLevel: number, origin: Origin): LicenseEntry {
  const { violationId, type, severity, resolvedAt } = violation;
  const after = { type, severity, threatLevel, ...(resolvedAt === null ? {} : { resolvedAt }) };
  return { type: 'violation.opened', subject: violationId, before: null, after, origin };
}

/** The write of a license row; `before` is the license as it was locked. */
type LicenseWrite =
  | { readonly kind: 'new'; readonly license: License }
  | { readonly kind: 'changed'; readonly before: License; readonly license: License }
  /** Only the fields that calls of machines change; `isVisible` when the reply of /verify changes. */
  | { readonly kind: 'used'; readonly before: UsedLicense; readonly license: UsedLicense; readonly isVisible: boolean }
  /** As `used`, with the ends of a license whose time begins. */
  | { readonly kind: 'begun'; readonly before: UsedLicense; readonly license: UsedLicense }
  /** Only the e-mail address. */
  | { readonly kind: 'readdressed'; readonly before: License; readonly license: License }
  /** Only the count of events in the license's row. */
  | { readonly kind: 'unchanged'; readonly before?: UsedLicense; readonly license: UsedLicense };

/** The writes and event entries of one license. */
export type LicenseSave = LicenseWrite & {
  readonly machines?: MachineChanges | 'unbind all' | 'end all sessions' | undefined;
  /** New violations. */
  readonly opened?: readonly Violation[];
  /** Violations with further observations; `occurrences` is the number to add. */
  readonly repeated?: readonly Violation[];
  /** Identifiers of violations to resolve. */
  readonly resolved?: readonly string[];
  /** Users whose seats become free, beside those that follow from the machines. */
  readonly releasedUsers?: readonly UserOfLicense[];
  /** Users who get seats, beside those that follow from the machines. */
  readonly seatedUsers?: readonly LicenseUser[];
  readonly entries: readonly LicenseEntry[];
};
