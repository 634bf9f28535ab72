/** The conditions of a node itself, which it reports while it runs: of its certificate and its backups. */
import Type from 'typebox';
import { DAY_MS, HOUR_MS, MINUTE_MS, toTimestamp } from '../../ground/base/clock.ts';
import { inner } from '../../platform/endpoint/inner.ts';
import type { Condition } from './condition.ts';
import { saveNodeConditions } from './notice-store.ts';

/** Interval of the reports of a node. */
export const NODE_REPORT_MS = 5 * MINUTE_MS;
/** The days before the end of a certificate at which the operator is told, then its end itself. */
const CERTIFICATE_STAGES_DAYS = [14, 3, 0] as const;
/** A daily backup that is late, as the alert of Prometheus has it. */
const BACKUP_AGE_MS = 36 * HOUR_MS;

const REPORT = {
  fields: Type.Object({
    hostname: Type.String(),
    certificate: Type.Union([
      Type.Null(),
      // Milliseconds since 1970.
      Type.Object({ name: Type.String(), endsAt: Type.Integer(), isSelfSigned: Type.Boolean() }),
    ]),
    lastBackupAt: Type.Union([Type.Null(), Type.Integer()]),
  }),
  reply: Type.Object({ success: Type.Literal(true) }),
};

/** The facts of a node about itself. Times are milliseconds since 1970. */
export interface NodeReport {
  readonly hostname: string;
  /** Null behind a proxy. */
  readonly certificate: { readonly name: string; readonly endsAt: number; readonly isSelfSigned: boolean } | null;
  /** Null: the node knows of no backup. */
  readonly lastBackupAt: number | null;
}

/** Stores the conditions of a node. A node without any writes nothing. */
export const noteNode = inner('noteNode', { kind: 'service', name: 'report of a node' }, REPORT, []).write(
  async (tx, { fields, now }) => {
    await saveNodeConditions(tx, conditionsOf(fields, now), now);
    return { success: true };
  },
);

/** The conditions of a node: pure. */
export function conditionsOf({ hostname, certificate, lastBackupAt }: NodeReport, now: number): readonly Condition[] {
  const found: Condition[] = [];
  if (certificate !== null) {
    const { name, endsAt, isSelfSigned } = certificate;
    const stage = CERTIFICATE_STAGES_DAYS.filter((days) => endsAt - now <= days * DAY_MS).length;
    const facts = {
      ...{ name, hostname, endsAt: toTimestamp(endsAt), daysLeft: String(Math.floor((endsAt - now) / DAY_MS)) },
      isSelfSigned: isSelfSigned ? 'yes' : 'no',
    };
    // Nodes that share a certificate are told of once; another certificate is another condition.
    if (stage > 0) found.push({ kind: 'certificate_ending', subject: `${name} ${toTimestamp(endsAt)}`, stage, facts });
  }
  if (lastBackupAt !== null && now - lastBackupAt > BACKUP_AGE_MS)
    found.push({
      ...{ kind: 'backup_missing', subject: '', stage: 0 },
      facts: { lastAt: toTimestamp(lastBackupAt), hostname },
    });
  return found;
}
