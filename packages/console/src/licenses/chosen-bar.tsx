/** Actions on the licenses that are selected in the list. Each is loaded when its button is pressed. */
import { type ComponentType, useState } from 'react';
import type { LicenseSummary } from '../api/contract.ts';
import { late } from '../api/late.tsx';
import { maySend, useCan, useSession } from '../api/session.ts';
import { ActionBar } from '../parts/action-bar.tsx';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Menu } from '../parts/menu.tsx';
import { type ChosenRows, hiddenAmong, listedKeys } from './chosen-rows.ts';
import styles from './licenses.module.css';
import type { ManyProps } from './many-props.ts';

const ACTIONS = {
  extend: late(async () => (await import('./extend-many.tsx')).ExtendMany),
  mail: late(async () => (await import('./mail-many.tsx')).MailMany),
  resolve: late(async () => (await import('./resolve-many.tsx')).ResolveMany),
  reinstate: late(async () => (await import('./reinstate-many.tsx')).ReinstateMany),
  revoke: late(async () => (await import('./revoke-many.tsx')).RevokeMany),
  note: late(async () => (await import('./note-many.tsx')).NoteMany),
  limits: late(async () => (await import('./limits-many.tsx')).LimitsMany),
  idle: late(async () => (await import('./idle-many.tsx')).IdleMany),
} as const satisfies Readonly<Record<string, ComponentType<ManyProps>>>;
type Action = keyof typeof ACTIONS;

export interface ChosenBarProps {
  readonly chosen: ChosenRows;
  /** The rows in sight. */
  readonly rows: readonly LicenseSummary[];
  readonly onChoose: (keys: ReadonlySet<string>) => void;
  /** Selects all that the filters of the list let through; null where all of them are in sight. */
  readonly selectAll: React.ReactNode;
}

/** An action on the licenses that were selected when its button was pressed. */
interface Doing {
  readonly action: Action;
  readonly keys: readonly string[];
  readonly hidden: ReadonlySet<string>;
}

/** The bar; renders nothing without a selection. */
export function ChosenBar({ chosen, rows, onChoose, selectAll }: ChosenBarProps) {
  const [doing, setDoing] = useState<Doing | null>(null);
  const session = useSession();
  const may: Readonly<Record<Action, boolean>> = {
    extend: maySend(session, '/updateLicense', ['expiresAt']),
    mail: useCan('/mailLicense'),
    resolve: useCan('/resolveLicense'),
    reinstate: useCan('/reinstateLicense'),
    revoke: useCan('/revokeLicense'),
    note: useCan('/addNote'),
    limits: maySend(session, '/updateLicense', ['maxMachines', 'maxConcurrent']),
    idle: useCan('/releaseActivation'),
  };
  if (chosen.size === 0) return null;
  const hidden = new Set(hiddenAmong(chosen, rows));
  const hasRevoked = [...chosen.values()].some((row) => row?.status === 'revoked');
  const start = (action: Action) => () => setDoing({ action, keys: listedKeys(chosen, rows), hidden });
  const entry = (action: Action, title: string) => (may[action] ? [{ title, onSelect: start(action) }] : []);
  const selected = `${counted(chosen.size, 'license')} selected`;
  const Dialog = doing && ACTIONS[doing.action];
  return (
    <ActionBar
      label="Selected licenses"
      count={hidden.size === 0 ? selected : `${selected}, ${countText(hidden.size)} not shown`}
      onClear={() => onChoose(new Set())}
    >
      {selectAll}
      {hidden.size > 0 && hidden.size < chosen.size && (
        <Button onClick={() => onChoose(new Set([...chosen.keys()].filter((key) => !hidden.has(key))))}>
          Only those shown
        </Button>
      )}
      {may.extend && <Button onClick={start('extend')}>Extend</Button>}
      {may.mail && <Button onClick={start('mail')}>E-mail</Button>}
      {may.reinstate && hasRevoked && <Button onClick={start('reinstate')}>Reinstate</Button>}
      {may.revoke && <Button onClick={start('revoke')}>Revoke</Button>}
      <Menu
        label="More actions on the selected licenses"
        groups={[
          [
            ...entry('resolve', 'Resolve violations…'),
            ...entry('note', 'Write a note…'),
            ...entry('limits', 'Change limits…'),
            ...entry('idle', 'Free idle machines…'),
          ],
        ]}
      >
        More
      </Menu>
      {doing !== null && Dialog !== null && (
        <Dialog
          keys={doing.keys}
          chosen={chosen}
          nameOf={(key) => <NameOf licenseKey={key} row={chosen.get(key)} isHidden={doing.hidden.has(key)} />}
          onClose={() => setDoing(null)}
        />
      )}
    </ActionBar>
  );
}

interface NameOfProps {
  readonly licenseKey: string;
  readonly row: LicenseSummary | undefined;
  /** Whether the row is out of sight. */
  readonly isHidden: boolean;
}

function NameOf({ licenseKey, row, isHidden }: NameOfProps) {
  return (
    <>
      <Key value={licenseKey} /> <span className={styles.quiet}>{row?.email}</span>
      {isHidden && <span className={styles.quiet}> (not shown)</span>}
    </>
  );
}
