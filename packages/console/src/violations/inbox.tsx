import { useRef } from 'react';
import type { ViolationOfLicense } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { shortKey } from '../parts/key-text.ts';
import { Menu } from '../parts/menu.tsx';
import { Badge, Status } from '../parts/status.tsx';
import { useRowKeys } from '../parts/table-keys.ts';
import { Time } from '../parts/time.tsx';
import unseen from '../parts/unseen.module.css';
import { evidenceSentence, machinesOf, severityText, severityTone, violationTitle } from '../sentences/violations.ts';
import { mayLift } from './requests.ts';
import styles from './violations.module.css';

export interface InboxProps {
  readonly violations: readonly ViolationOfLicense[];
  /** Ids of violations. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
  readonly onResolve: (violation: ViolationOfLicense) => void;
  /** Resolves a violation and leaves its license revoked. */
  readonly onSettle: (violation: ViolationOfLicense) => void;
  readonly onRevoke: (violation: ViolationOfLicense) => void;
}

/**
 * The list: each violation with its evidence in words. The keys j and k move through it, x selects, Enter opens the
 * license.
 */
export function Inbox({ violations, chosen, onChoose, ...act }: InboxProps) {
  const list = useRef<HTMLUListElement>(null);
  useRowKeys(
    list,
    true,
    { keys: chosen, onChange: onChoose },
    violations.map(({ id }) => id),
    true,
  );
  const canResolve = useCan('/resolveLicense');
  return (
    <ul ref={list} className={styles.inbox} aria-label="Violations">
      {violations.map((violation) => (
        <li key={violation.id} className={styles.item} data-key={violation.id} data-chosen={chosen.has(violation.id)}>
          {canResolve && (
            <input
              type="checkbox"
              className={styles.tick}
              aria-label={`Select ${violationTitle(violation.type)} of ${violation.email}`}
              checked={chosen.has(violation.id)}
              disabled={violation.resolvedAt !== null}
              onChange={() => {
                const next = new Set(chosen);
                if (!next.delete(violation.id)) next.add(violation.id);
                onChoose(next);
              }}
            />
          )}
          <Item violation={violation} />
          <Actions violation={violation} {...act} />
        </li>
      ))}
    </ul>
  );
}

function Item({ violation }: { readonly violation: ViolationOfLicense }) {
  const { type, severity, licenseKey, email, productId, licenseStatus, lastSeen, firstSeen, resolvedAt } = violation;
  return (
    <>
      <div className={styles.severity}>
        {resolvedAt === null ? (
          <Status tone={severityTone(severity)}>{severityText(severity)}</Status>
        ) : (
          <Status tone="good">Resolved</Status>
        )}
      </div>
      <div className={styles.what}>
        <h2>
          <a href={`#/licenses/${encodeURIComponent(licenseKey)}`} data-row-link="">
            {violationTitle(type)}
          </a>
        </h2>
        <p>{evidenceSentence(violation)}</p>
        <p className={styles.quiet}>
          <span>{email}</span>
          <span className={styles.key} title={licenseKey}>
            {shortKey(licenseKey)}
          </span>
          <span>{productId}</span>
          {licenseStatus !== 'active' && (
            <Badge tone={licenseStatus === 'revoked' ? 'danger' : 'quiet'}>License {licenseStatus}</Badge>
          )}
        </p>
        <Machines violation={violation} />
      </div>
      <div className={styles.times}>
        <Time at={resolvedAt ?? lastSeen} />
        {resolvedAt === null && firstSeen !== lastSeen && (
          <span>
            {'first '}
            <Time at={firstSeen} />
          </span>
        )}
      </div>
    </>
  );
}

/** The machines in the evidence, if there is more to say about them than their names. */
function Machines({ violation }: { readonly violation: ViolationOfLicense }) {
  const machines = machinesOf(violation);
  if (machines.length < 2) return null;
  return (
    <details className={styles.machines}>
      <summary>{machines.length} machines</summary>
      <table>
        <caption className={unseen.unseen}>Machines of this violation</caption>
        <thead>
          <tr>
            <th scope="col">Machine</th>
            <th scope="col">Machine id</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {machines.map(({ name, fingerprint, lastSeen }) => (
            <tr key={fingerprint}>
              <th scope="row">{name}</th>
              <td className={styles.key}>{fingerprint}</td>
              <td>
                <Time at={lastSeen} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Actions({
  violation,
  onResolve,
  onSettle,
  onRevoke,
}: Pick<InboxProps, 'onResolve' | 'onSettle' | 'onRevoke'> & { violation: ViolationOfLicense }) {
  const canResolve = useCan('/resolveLicense') && violation.resolvedAt === null;
  const canRevoke = useCan('/revokeLicense') && violation.licenseStatus !== 'revoked';
  return (
    <div className={styles.actions}>
      <Menu
        label={`Actions for ${violationTitle(violation.type)} of ${violation.email}`}
        groups={[
          [
            ...(canResolve && mayLift(violation)
              ? [{ title: 'Stays revoked', onSelect: () => onSettle(violation) }]
              : []),
            ...(canResolve ? [{ title: 'Resolve', onSelect: () => onResolve(violation) }] : []),
            { title: 'Open license', href: `#/licenses/${encodeURIComponent(violation.licenseKey)}` },
          ],
          canRevoke ? [{ title: 'Revoke license', danger: true, onSelect: () => onRevoke(violation) }] : [],
        ]}
      />
    </div>
  );
}
