/** Warnings about the system that need action, in words; pure. */
import type { GetSystemReply, SystemDatabase } from '../api/contract.ts';
import { counted } from '../parts/count-words.ts';
import { sizeText } from '../parts/figures.ts';
import { spanText } from '../parts/span-words.ts';
import type { Tone } from '../parts/status.tsx';
import { dayText } from '../parts/time-words.ts';

/** A certificate with fewer days left needs renewal. */
const DAYS_LEFT = 30;
/** Maximum difference between the clocks. */
const MAX_DIFFERENCE_MS = 5_000;
/** Minimum free share of the disk. */
const LEAST_FREE = 0.1;

/** A warning that needs action. */
export interface Warning {
  readonly about: 'belief' | 'certificate' | 'clocks' | 'disk' | 'migration';
  readonly tone: Extract<Tone, 'warn' | 'danger'>;
  readonly title: string;
  /** The action to take, and the consequence of not taking it. */
  readonly advice: string;
}

/** All warnings, gravest first. */
export function warningsOf(system: Pick<GetSystemReply, 'service' | 'database' | 'certificate'>): readonly Warning[] {
  const { service, database, certificate } = system;
  const found = [
    certificate === null ? null : (earlyWarning(certificate, service.time) ?? certificateWarning(certificate)),
    beliefWarning(service.clock),
    diskWarning(database),
    migrationWarning(database),
    database.time === null ? null : clockWarning(service.time, database.time),
  ].filter((each) => each !== null);
  return found.toSorted((one, other) => Number(other.tone === 'danger') - Number(one.tone === 'danger'));
}

/** Warns about a certificate that is not valid yet. */
function earlyWarning(
  { validFrom, selfSigned }: NonNullable<GetSystemReply['certificate']>,
  now: string,
): Warning | null {
  if (validFrom <= now) return null;
  return {
    about: 'certificate',
    tone: 'danger',
    title: `The certificate is not valid before ${dayText(validFrom)}.`,
    advice: selfSigned
      ? 'Apps and browsers refuse to connect. Correct the clock if it is behind. Once the clock is believed, the service creates a new certificate, which browsers and apps must then trust.'
      : 'Apps and browsers refuse to connect. Correct the clock if it is behind, or replace its files by a certificate that is valid now.',
  };
}

/** Warns if the service does not trust its clock. */
function beliefWarning({ state, believedAt }: GetSystemReply['service']['clock']): Warning | null {
  if (state === 'believed') return null;
  const far = believedAt === null ? '' : ` The last time that was believed is ${dayText(believedAt)}.`;
  return {
    about: 'belief',
    tone: 'warn',
    title: "The service does not believe its machine's clock.",
    advice: `Nothing is removed or ended by time until it does.${far} Correct the clock if it is wrong. If it is right, run latchkey believe-clock.`,
  };
}

/** Warns about a certificate that has ended or ends soon. */
export function certificateWarning({
  endsAt,
  daysLeft,
  selfSigned,
}: Pick<NonNullable<GetSystemReply['certificate']>, 'endsAt' | 'daysLeft' | 'selfSigned'>): Warning | null {
  if (daysLeft >= DAYS_LEFT) return null;
  const advice = selfSigned
    ? 'Restart the service: it creates a new certificate, which browsers and apps must then trust.'
    : 'Put a new one in place of its files: the service uses it within a minute, without a restart.';
  if (daysLeft < 0)
    return {
      about: 'certificate',
      tone: 'danger',
      title: `The certificate ended on ${dayText(endsAt)}.`,
      advice: `Apps and browsers refuse to connect. ${advice}`,
    };
  const left = daysLeft === 0 ? 'today or tomorrow' : `in ${counted(daysLeft, 'day')}`;
  return { about: 'certificate', tone: 'warn', title: `The certificate ends ${left}.`, advice };
}

/** Warns if the clocks of the service and of the database differ too much. */
function clockWarning(service: string, database: string): Warning | null {
  const difference = Date.parse(database) - Date.parse(service);
  if (Math.abs(difference) <= MAX_DIFFERENCE_MS) return null;
  const seconds = Math.round(Math.abs(difference) / 1000);
  return {
    about: 'clocks',
    tone: 'warn',
    title: `The database's clock is ${spanText(seconds)} ${difference > 0 ? 'ahead of' : 'behind'} that of the service.`,
    advice:
      'Synchronise the clocks of both machines (chrony, systemd-timesyncd): limits, tokens and sessions depend on them.',
  };
}

/** Warns if the disk is nearly full. */
export function diskWarning({
  diskFreeBytes,
  diskTotalBytes,
}: Pick<SystemDatabase, 'diskFreeBytes' | 'diskTotalBytes'>): Warning | null {
  if (diskFreeBytes === null || diskTotalBytes === null || diskFreeBytes >= diskTotalBytes * LEAST_FREE) return null;
  return {
    about: 'disk',
    tone: 'warn',
    title: `The disk is nearly full: ${sizeText(diskFreeBytes)} of ${sizeText(diskTotalBytes)} are free.`,
    advice:
      "Make room by deleting files that are not the service's, such as old backups and logs. Once the disk is full, machines are still verified, but nothing can be activated or changed.",
  };
}

function migrationWarning({ migration: { state, version, newestKnown } }: SystemDatabase): Warning | null {
  if (state === 'current') return null;
  return state === 'ahead'
    ? {
        about: 'migration',
        tone: 'warn',
        title: 'A newer version has changed the database.',
        advice: `Its tables have version ${version}, this node knows ${newestKnown}. Update this node: it keeps working meanwhile, but lacks the new features.`,
      }
    : {
        about: 'migration',
        tone: 'danger',
        title: 'The database is older than the service.',
        advice: `Its tables have version ${version}, but this node needs ${newestKnown}. Restart the service, which updates them. Was an old backup restored?`,
      };
}
