/** The machines of a license: name, country, time of activation, and how to remove one. */
import { useState } from 'react';
import { filePages } from '../actions/list-file.ts';
import { ageOf } from '../actions/listing-of.tsx';
import { EndSessionDialog, useMachineRemoval } from '../actions/machine-dialogs.tsx';
import type { RemovableMachine } from '../actions/machine-removal.ts';
import { readNotice } from '../actions/refusal-notice.tsx';
import { call } from '../api/call.ts';
import type { Activation, GetLicenseReply, License } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { countText } from '../parts/count-words.ts';
import { countryName } from '../parts/country-words.ts';
import type { ListFile } from '../parts/csv.tsx';
import { Empty } from '../parts/empty.tsx';
import { Menu } from '../parts/menu.tsx';
import { Meter } from '../parts/meter.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { useCursors } from '../parts/use-cursors.ts';
import { nameAmong } from '../sentences/refusals.ts';
import { licenseRequest } from './first-reads.ts';
import styles from './licenses.module.css';
import { type OfflineTime, offlineSentence, offlineText, offlineTimeOf } from './offline-time.ts';
import { slotsUsed } from './words.ts';

/** The newest files that are looked at for a revoked license. */
const FILES = 1000;

export interface MachinesProps {
  /** The license with the first page of its machines. */
  readonly reply: GetLicenseReply;
}

export function Machines({ reply }: MachinesProps) {
  const { license, activationCount } = reply;
  const [cursor, pagesBefore] = useCursors();
  const page = useRead(
    '/getLicense',
    { ...licenseRequest(license.key), ...(cursor === undefined ? {} : { activationCursor: cursor }) },
    { keepPrevious: true, everySeconds: 15 },
  );
  const removal = useMachineRemoval();
  const [ending, setEnding] = useState<RemovableMachine | null>(null);
  const mayRemove = useCan('/releaseActivation');
  const mayEnd = useCan('/endSession');
  const shown = page.data ?? reply;
  const isRevoked = license.status === 'revoked';
  const now = useNow();
  const { data } = useRead('/listLicenseFiles', { licenseKey: license.key, limit: FILES }, { enabled: isRevoked });
  const timeOf = isRevoked && data !== undefined ? (each: Activation) => offlineTimeOf(each, data.files, now) : null;
  const sentence = timeOf && offlineSentence(shown.activations.map(timeOf));
  const removable = (machine: Activation): RemovableMachine => ({
    licenseKey: license.key,
    fingerprint: machine.fingerprint,
    name: nameAmong(machine, shown.activations),
    lastSeen: machine.lastSeen,
  });
  return (
    <>
      <div className={styles.toolbar}>
        <Used license={license} reply={shown} />
      </div>
      {sentence !== null && (
        <Notice tone="warn" title={sentence}>
          With one, each app stops at its next check. Tokens and files cannot be called back.
        </Notice>
      )}
      <Table
        caption="Machines of the license"
        file={machinesFile(license.key)}
        columns={columnsFor(license, shown.activations, timeOf)}
        rows={shown.activations}
        keyOf={({ fingerprint }) => fingerprint}
        fresh={page.isPlaceholderData}
        notice={readNotice(page)}
        age={ageOf(page)}
        {...(mayRemove || mayEnd
          ? {
              actions: (machine: Activation) => (
                <Menu
                  label={`Actions of ${nameAmong(machine, shown.activations)}`}
                  groups={[
                    mayEnd && machine.sessionActive
                      ? [{ title: 'End session', onSelect: () => setEnding(removable(machine)) }]
                      : [],
                    mayRemove
                      ? [{ title: 'Remove machine', onSelect: () => removal.remove(removable(machine)), danger: true }]
                      : [],
                  ]}
                />
              ),
            }
          : {})}
        pages={{ ...pagesBefore(shown.nextActivationCursor), shown: `${countText(activationCount)} in all` }}
        empty={
          <Empty title="No machine yet">
            A machine appears here when an app activates the license on it with the key above.
          </Empty>
        }
      />
      {removal.dialog}
      {ending !== null && <EndSessionDialog machine={ending} onClose={() => setEnding(null)} />}
    </>
  );
}

function machinesFile(licenseKey: string): ListFile {
  return filePages(`machines-of-${licenseKey}`, async (cursor) => {
    const request = {
      licenseKey,
      activationLimit: 1000,
      ...(cursor === undefined ? {} : { activationCursor: cursor }),
    };
    const { activations, nextActivationCursor } = await call('/getLicense', request);
    return { entries: activations, nextCursor: nextActivationCursor };
  });
}

function Used({ license, reply }: { readonly license: License; readonly reply: GetLicenseReply }) {
  if (license.licenseType === 'floating') {
    const { count, isLeast } = slotsUsed(license, reply);
    // Only the board of seats knows all live sessions.
    if (isLeast) return <a href="#/seats">See who is using it</a>;
    return (
      <span>
        <Meter label="Seats in use" used={count} limit={license.maxConcurrent} />{' '}
        <span className={styles.quiet}>seats in use</span>
      </span>
    );
  }
  return (
    <span>
      <Meter label="Machines in use" used={reply.activationCount} limit={license.maxMachines} />{' '}
      <span className={styles.quiet}>machines in use</span>
    </span>
  );
}

function columnsFor(
  { licenseType }: License,
  machines: readonly Activation[],
  timeOf: ((machine: Activation) => OfflineTime | null) | null,
): readonly Column<Activation>[] {
  const hasUsers = machines.some(({ user }) => user !== undefined);
  return [
    {
      title: 'Machine',
      cell: (machine) => (
        <span className={styles.machineName} title={`Fingerprint ${machine.fingerprint}`}>
          {nameAmong(machine, machines)}
        </span>
      ),
      phone: 'first',
    },
    ...(hasUsers ? [{ title: 'User', cell: ({ user }: Activation) => user ?? '' }] : []),
    {
      title: 'Country',
      cell: ({ countries, lastCountry }) => <Country last={lastCountry} all={countries} />,
      phone: 'second',
    },
    ...(licenseType === 'floating'
      ? [
          {
            title: 'Session',
            cell: ({ sessionActive, sessionStarted }: Activation) =>
              sessionActive && sessionStarted !== null ? (
                <Status tone="good">
                  <span>
                    since <Time at={sessionStarted} />
                  </span>
                </Status>
              ) : (
                <span className={styles.quiet}>none</span>
              ),
          },
        ]
      : []),
    ...(timeOf === null
      ? []
      : [{ title: 'Can run without a connection', cell: (machine: Activation) => offlineText(timeOf(machine)) }]),
    { title: 'First seen', cell: ({ firstSeen }) => <Time at={firstSeen} as="day" /> },
    { title: 'Last seen', cell: ({ lastSeen }) => <Time at={lastSeen} />, align: 'end', phone: 'firstEnd' },
  ];
}

function Country({ last, all }: { readonly last: string | null; readonly all: readonly string[] }) {
  if (last === null) return <span className={styles.quiet}>unknown</span>;
  const others = all.filter((code) => code !== last).length;
  return (
    <span title={all.map(countryName).join(', ')}>
      {countryName(last)}
      {others > 0 && <span className={styles.quiet}> and {others} more</span>}
    </span>
  );
}
