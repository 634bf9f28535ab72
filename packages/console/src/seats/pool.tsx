import { useState } from 'react';
import type { RemovableMachine } from '../actions/machine-removal.ts';
import type { LiveSession, SessionPool } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { shortKey } from '../parts/key-text.ts';
import { Menu } from '../parts/menu.tsx';
import { Meter } from '../parts/meter.tsx';
import { useNow } from '../parts/now.ts';
import { Status } from '../parts/status.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { exactTime } from '../parts/time-words.ts';
import styles from './seats.module.css';
import { countryText, endsInText, peakText, poolText, refusedText } from './words.ts';

/** An action on a machine that holds a seat. */
export interface SeatAction {
  readonly kind: 'end' | 'remove';
  readonly machine: RemovableMachine;
}

export interface PoolProps {
  readonly pool: SessionPool;
  /** Seconds between reads of further pages of machines. */
  readonly everySeconds: number;
  readonly onAct: (action: SeatAction) => void;
}

/** One floating license: its seats in use, and their holders. */
export function Pool({ pool, everySeconds, onAct }: PoolProps) {
  const { licenseKey, email, productId, inUse, limit, refusedLastHour, sessions, nextSessionCursor } = pool;
  const refused = refusedText(refusedLastHour);
  const href = `#/licenses/${encodeURIComponent(licenseKey)}`;
  return (
    <section className={styles.pool} aria-label={`Seats of ${email}`}>
      <header className={styles.head}>
        <div>
          <h2>
            <a href={href}>{email}</a>
          </h2>
          <p className={styles.quiet}>
            <span>{productId}</span>
            <span className={styles.key} title={licenseKey}>
              {shortKey(licenseKey)}
            </span>
          </p>
        </div>
        <div className={styles.use}>
          <Meter label={`Seats of ${email}`} used={inUse} limit={limit} withNumbers={false} />
          <p>
            {poolText(pool)} {peakText(pool)}
          </p>
          {refused !== null && <Status tone="warn">{refused}</Status>}
        </div>
      </header>
      <Sessions caption={`Machines that hold a seat of ${email}`} pool={pool} sessions={sessions} onAct={onAct} />
      {nextSessionCursor !== undefined && (
        <FurtherSessions pool={pool} cursor={nextSessionCursor} everySeconds={everySeconds} onAct={onAct} />
      )}
    </section>
  );
}

interface SessionsProps {
  readonly caption: string;
  readonly pool: SessionPool;
  readonly sessions: readonly LiveSession[];
  readonly onAct: PoolProps['onAct'];
}

function Sessions({ caption, pool, sessions, onAct }: SessionsProps) {
  const now = useNow();
  const canEnd = useCan('/endSession');
  const canRelease = useCan('/releaseActivation');
  const act =
    (kind: SeatAction['kind'], { hostname, fingerprint, lastSeen }: LiveSession) =>
    () =>
      onAct({ kind, machine: { licenseKey: pool.licenseKey, fingerprint, name: hostname || fingerprint, lastSeen } });
  const columns: readonly Column<LiveSession>[] = [
    {
      title: 'Machine',
      cell: ({ hostname, fingerprint }) => <span title={fingerprint}>{hostname || fingerprint}</span>,
    },
    { title: 'Country', cell: ({ country }) => countryText(country), phone: 'second' },
    { title: 'Since', cell: ({ startedAt }) => <Time at={startedAt} /> },
    { title: 'Last beat', cell: ({ lastSeen }) => <Time at={lastSeen} />, phone: 'firstEnd' },
    {
      title: 'Free in',
      align: 'end',
      cell: ({ endsAt }) => (
        <time dateTime={endsAt} title={exactTime(endsAt)}>
          <span className={styles.onPhones}>free in </span>
          {endsInText(endsAt, now)}
        </time>
      ),
      phone: 'secondEnd',
    },
  ];
  return (
    <Table
      caption={caption}
      file={null}
      rows={sessions}
      keyOf={({ fingerprint }) => fingerprint}
      columns={columns}
      empty={<p className={styles.quiet}>No machine holds a seat any more.</p>}
      {...(canEnd || canRelease
        ? {
            actions: (session: LiveSession) => (
              <Menu
                label={`Actions of ${session.hostname || session.fingerprint}`}
                groups={[
                  canEnd ? [{ title: 'End session', onSelect: act('end', session) }] : [],
                  canRelease ? [{ title: 'Remove machine', danger: true, onSelect: act('remove', session) }] : [],
                ]}
              />
            ),
          }
        : {})}
    />
  );
}

/** The machines beyond those on the board, read page by page on request. */
function FurtherSessions({ pool, cursor, everySeconds, onAct }: PoolProps & { readonly cursor: string }) {
  const [isOpen, setOpen] = useState(false);
  const page = useRead(
    '/listLiveSessions',
    { licenseKey: pool.licenseKey, sessionCursor: cursor, sessionLimit: 100 },
    { enabled: isOpen, keepPrevious: true, everySeconds },
  );
  if (!isOpen)
    return (
      <div className={styles.further}>
        <Button small onClick={() => setOpen(true)}>
          Show more machines
        </Button>
      </div>
    );
  const further = page.data?.pools[0];
  if (further === undefined)
    return <p className={styles.quiet}>{page.isPending ? 'Reading…' : 'There are no more.'}</p>;
  return (
    <>
      <Sessions caption={`Further machines of ${pool.email}`} pool={pool} sessions={further.sessions} onAct={onAct} />
      {further.nextSessionCursor !== undefined && (
        <FurtherSessions pool={pool} cursor={further.nextSessionCursor} everySeconds={everySeconds} onAct={onAct} />
      )}
    </>
  );
}
