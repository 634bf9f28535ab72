/** Fetches the license files by which an app runs without the service. Callers must run one call at a time. */
import { fetchKeyLists, type Line } from './calls.ts';
import { DAY_MS, HOUR_MS } from './decide.ts';
import { isKeyOfFile } from './facts.ts';
import type { LicenseRecord } from './license-record.ts';
import type { MachineCalls } from './machine-calls.ts';
import type { LicenseFacts } from './state.ts';

/** Pause before another request for a file after a failure; a day if the operator does not offer files. */
const FILE_PAUSE_MS = HOUR_MS;

/** A time in seconds since 1970, as license files have it. */
function secondsOf(time: string | null | undefined): number | null {
  return time == null ? null : Math.floor(Date.parse(time) / 1000);
}

interface RenewalParts {
  readonly line: Line;
  readonly record: LicenseRecord;
  readonly calls: MachineCalls;
  readonly monotonic: () => number;
}

export class FileRenewal {
  readonly #parts: RenewalParts;
  /** By the monotonic clock. */
  #notBefore = 0;

  constructor(parts: RenewalParts) {
    this.#parts = parts;
  }

  /** Fetches a newer file when it is due. On failure nothing changes, and the app goes on with its present file. */
  async renew(): Promise<void> {
    const { record, calls, monotonic } = this.#parts;
    const { licenseKey, token, facts } = record.stored;
    if (
      !record.needsFile ||
      !record.coversBuild ||
      record.outcome.kind !== 'good' ||
      licenseKey === null ||
      token === null
    )
      return;
    if (monotonic() < this.#notBefore || !this.#isDue(licenseKey, facts)) return;
    this.#notBefore = monotonic() + FILE_PAUSE_MS;
    const called = await calls.send('/issueLicenseFile', licenseKey, token);
    if (called.kind === 'refused' && called.refusal.code === 'license_files_not_offered')
      this.#notBefore = monotonic() + DAY_MS;
    if (called.kind !== 'good') return;
    const text = called.reply.licenseFile;
    const keyLists = await this.#keyListsFor(text);
    if (keyLists === null) return;
    await record.keep({ file: text, keyLists });
    this.#notBefore = 0;
  }

  /**
   * Returns whether to fetch a file: none is stored, its renewal time has come, the license or its updates were
   * extended or its key was replaced since, or the service's clock was ahead when the file was made.
   */
  #isDue(licenseKey: string, facts: LicenseFacts | null): boolean {
    const { file, now } = this.#parts.record;
    if (file === null) return true;
    if (file.purpose !== 'grace') return false;
    const isFromFuture = file.iat * 1000 > now + DAY_MS;
    const isOther =
      secondsOf(facts?.licenseExpiresAt) !== file.licenseExpiresAt ||
      secondsOf(facts?.updatesUntil) !== (file.updatesUntil ?? null);
    const isOfFormerKey = !isKeyOfFile(licenseKey, file);
    return now >= file.renewAfter * 1000 || isOther || isFromFuture || isOfFormerKey;
  }

  /** The lists of signing keys that prove a file genuine; null if it is not. */
  async #keyListsFor(text: string): Promise<readonly string[] | null> {
    const { record, line } = this.#parts;
    const { keyLists } = record.stored;
    const isGenuine = (lists: readonly string[]) =>
      record.verify(text, null, lists).then(
        () => true,
        () => false,
      );
    if (await isGenuine(keyLists)) return keyLists;
    const published = await fetchKeyLists(line);
    // Published lists first: any of them leads to all keys, while the stored ones lead to some.
    const candidates = [...published, ...keyLists];
    if (!(await isGenuine(candidates))) return null;
    return record.usefulKeyLists(candidates);
  }
}
