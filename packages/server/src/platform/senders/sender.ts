/**
 * Senders: work that waits for others, such as receivers of events and mail servers. Each sender of a node has a
 * thread, so that nobody delays the threads that answer apps and write, or another sender. It reads and writes the
 * database through a store; its writes run in the thread that owns the database, under the lease of a job.
 */
import type { Clock } from '../../ground/base/clock.ts';
import type { Storage } from '../../storage/contract/storage.ts';
import type { MailKind } from '../endpoint/mail-kind.ts';
import type { Settings } from '../endpoint/rule-context.ts';
import type { Reports } from '../endpoint/slice-metrics.ts';
import type { RecordedChange } from '../events/recorded-changes.ts';
import type { JobTime } from '../jobs/job.ts';

/**
 * The settings of each sender, by its name: plain data, because they reach its thread; null if this node does not send
 * such things. A slice declares its own beside its sender.
 */
// biome-ignore lint/suspicious/noEmptyInterface: slices add to it
export interface SenderSettings {}

export type SenderName = keyof SenderSettings;

/** The settings of a sender that is on. */
export type SettingsOf<Name extends SenderName> = NonNullable<SenderSettings[Name]>;

/** The thread that owns the database, as the writes of a sender use it. */
export interface WriterParts {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly time: JobTime;
  readonly settings: Settings;
  /** The kinds of e-mails of all slices. */
  readonly mailKinds: readonly MailKind[];
}

/** The database of a sender. */
export interface SenderStore<Name extends SenderName> {
  /**
   * Whether there is something to send at this moment. It asks for what is true now, not for what once happened: a
   * database may be a copy.
   */
  isNeeded(storage: Pick<Storage, 'read'>, settings: SettingsOf<Name>): Promise<boolean>;
  /**
   * Whether committed changes may make it needed, so that the node looks at once; absent if the next look is soon
   * enough.
   */
  readonly mayBeNeededBy?: (recorded: readonly RecordedChange[]) => boolean;
  /** Its reads. With SQLite they run in the thread of the sender. */
  reads(storage: Pick<Storage, 'read'>, clock: Clock, settings: SettingsOf<Name>): object;
  /** Its writes, in the thread that owns the database. */
  writes(parts: WriterParts, settings: SettingsOf<Name>): object;
}

/** Passes on a report of a sender, for the log and the metrics. */
export type Report = <Kind extends keyof Reports>(kind: Kind, report: Reports[Kind]) => void;

/** The thread of a sender, as the sender uses it. */
export interface SendingParts<Name extends SenderName> {
  readonly settings: SettingsOf<Name>;
  /** Its reads and writes; they reject with the text of a failure. */
  readonly store: object;
  /** Asks to be woken once, by the next recorded change. */
  awaitNews(): void;
  readonly clock: Clock;
  /** True if no other node can send. */
  readonly isAlone: boolean;
  readonly report: Report;
  /** Reports a failure for the log. */
  failed(failure: string): void;
}

/** A running sender. */
export interface Sending {
  /** Begins the next round at once. */
  wake(): void;
  /** Stops it; resolves when nothing is under way. */
  stop(): Promise<void>;
}

/** A sender. It loads its parts where they run: its thread, for one, loads no driver of a database. */
export interface Sender<Name extends SenderName = SenderName> {
  readonly name: Name;
  /** The methods of its store: those that read, and those that write. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Time between two looks of a node that does not send such things yet, in milliseconds. */
  lookMs(settings: SettingsOf<Name>): number;
  loadStore(): Promise<SenderStore<Name>>;
  /** Starts it in its thread. */
  start(parts: SendingParts<Name>): Promise<Sending>;
}
