/** Events of a server that was killed: exactly one for each change, and none for anything else. */
import assert from 'node:assert/strict';
import { ADMIN_SECRET } from '../support/app.ts';
import type { ServerProcess } from '../support/server-process.ts';

/** An event as /listEvents shows it. */
interface ListedEvent {
  readonly type: string;
  readonly licenseKey: string | null;
  readonly licenseNumber: number | null;
  readonly subject: string | null;
}

/** A machine, and the known facts about its changes. */
interface ChangedMachine {
  readonly fingerprint: string;
  /** The types of the events of its acknowledged changes, oldest first. */
  readonly changes: readonly string[];
  /** Event type of a change whose outcome is unknown; null without one. */
  readonly unknown: string | null;
}

/** Every entry of a list. */
async function listAll<Entry>(
  server: ServerProcess,
  path: string,
  entries: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await server.send(path, { adminSecret: ADMIN_SECRET, limit: 1000, ...fields, cursor });
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...body[entries]);
    cursor = body.nextCursor;
    if (cursor === undefined) return found;
  }
}

/** The events of a license, oldest first, numbered from 1 without gaps; the first records its issue. */
export async function eventsOfLicense(server: ServerProcess, licenseKey: string): Promise<ListedEvent[]> {
  const events = (await listAll<ListedEvent>(server, '/listEvents', 'events', { licenseKey })).reverse();
  assert.deepEqual(
    events.map(({ licenseNumber }) => licenseNumber),
    events.map((_, index) => index + 1),
    `the events of ${licenseKey} have gaps`,
  );
  const issued = events.flatMap(({ type }, index) => (type === 'license.created' ? [index] : []));
  assert.deepEqual(issued, [0], `${licenseKey} was issued once`);
  return events;
}

/**
 * Fails unless the events of a machine are those of its acknowledged changes, and of the unknown one if it was made.
 */
export function assertMachineEvents(
  licenseKey: string,
  { fingerprint, changes, unknown }: ChangedMachine,
  isBound: boolean,
  events: readonly ListedEvent[],
): void {
  const isMade = unknown !== null && isBound === (unknown === 'activation.created');
  assert.deepEqual(
    events
      .filter(({ type, subject }) => type.startsWith('activation.') && subject === fingerprint)
      .map(({ type }) => type),
    isMade ? [...changes, unknown] : changes,
    `the events of ${fingerprint} of ${licenseKey} are not its changes`,
  );
}

/**
 * Fails unless every license has the event of its issue, and every such event its license, interrupted ones included.
 */
export async function checkCreations(server: ServerProcess): Promise<void> {
  const licenses = await listAll<{ readonly key: string }>(server, '/listLicenses', 'licenses', {});
  const events = await listAll<ListedEvent>(server, '/listEvents', 'events', { types: ['license.created'] });
  assert.deepEqual(events.map(({ licenseKey }) => licenseKey).sort(), licenses.map(({ key }) => key).sort());
}
