/** The violations of a license: the evidence, and the level and status after resolving some. */
import { useState } from 'react';
import type { Activation, License, Violation } from '../api/contract.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Badge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import {
  evidenceSentence,
  type MachineNames,
  severityText,
  severityTone,
  violationTitle,
} from '../sentences/violations.ts';
import styles from './licenses.module.css';
import { ResolveDialog } from './resolve-dialog.tsx';

export interface ViolationsProps {
  readonly license: License;
  readonly violations: readonly Violation[];
  /** The first page of its machines, for their names. */
  readonly activations: readonly Activation[];
}

export function Violations({ license, violations, activations }: ViolationsProps) {
  const names = new Map(
    activations.filter(({ hostname }) => hostname !== '').map((each) => [each.fingerprint, each.hostname]),
  );
  const open = violations.filter(({ resolvedAt }) => resolvedAt === null);
  const resolved = violations.filter(({ resolvedAt }) => resolvedAt !== null);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  // Fixed when the dialog opens: a violation that arrives meanwhile is not resolved unseen.
  const [resolving, setResolving] = useState<readonly string[] | null>(null);
  const mayResolve = useCan('/resolveLicense');
  if (violations.length === 0)
    return (
      <Empty title="No violations">
        Misuse that the service finds, and refunds, chargebacks and fraud, appear here.
      </Empty>
    );
  const chosen = open.filter(({ id }) => !left.has(id)).map(({ id }) => id);
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(left);
    if (isChosen) next.delete(id);
    else next.add(id);
    setLeft(next);
  };
  return (
    <>
      {open.length > 0 && mayResolve && (
        <div className={styles.toolbar}>
          <span className={styles.quiet}>
            {chosen.length} of {open.length} selected
          </span>
          <Button disabled={chosen.length === 0} onClick={() => setResolving(chosen)}>
            Resolve {chosen.length}
          </Button>
        </div>
      )}
      <ul>
        {open.map((violation) => (
          <li key={violation.id} className={styles.violation}>
            {mayResolve ? (
              <input
                type="checkbox"
                aria-label={`Select ${violationTitle(violation.type)}`}
                checked={!left.has(violation.id)}
                onChange={(event) => choose(violation.id, event.currentTarget.checked)}
              />
            ) : (
              <span />
            )}
            <Words violation={violation} names={names} />
            <span className={styles.momentMore}>
              <Time at={violation.lastSeen} />
            </span>
          </li>
        ))}
        {resolved.map((violation) => (
          <li key={violation.id} className={styles.violation}>
            <span />
            <Words violation={violation} names={names} />
            <span className={styles.momentMore}>
              resolved <Time at={violation.resolvedAt ?? violation.lastSeen} />
            </span>
          </li>
        ))}
      </ul>
      {resolving !== null && (
        <ResolveDialog license={license} violationIds={resolving} onClose={() => setResolving(null)} />
      )}
    </>
  );
}

function Words({ violation, names }: { readonly violation: Violation; readonly names: MachineNames }) {
  const { type, severity, resolvedAt } = violation;
  return (
    <div>
      <p>
        {violationTitle(type)}{' '}
        <Badge tone={resolvedAt === null ? severityTone(severity) : 'quiet'}>{severityText(severity)}</Badge>
      </p>
      <p className={styles.violationText}>{evidenceSentence(violation, names)}</p>
    </div>
  );
}
