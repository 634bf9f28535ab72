/** Frees the places of machines that were not seen for a while, on many licenses. */
import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { runBounded } from '../actions/run-bounded.ts';
import { toastRefusal } from '../actions/toast-refusal.ts';
import { call } from '../api/call.ts';
import type { Activation } from '../api/contract.ts';
import { Button } from '../parts/button.tsx';
import { Key } from '../parts/copy.tsx';
import { counted, countText } from '../parts/count-words.ts';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields, NumberField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { useNow } from '../parts/now.ts';
import { relativeTime } from '../parts/time-words.ts';
import { idleAmong } from './idle-machines.ts';
import styles from './licenses.module.css';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';
import { limitIn } from './words.ts';

/** Maximum number of concurrent reads. */
const AT_ONCE = 4;
/** The machines that are read of one license: the most that one answer has. */
const MAX_MACHINES = 1000;

/** An idle machine and its license. */
interface Idle {
  readonly licenseKey: string;
  readonly machine: Activation;
}

/** First finds the idle machines, then asks before it frees their places. */
export function IdleMany({ keys, onClose }: ManyProps) {
  const [idle, setIdle] = useState<ReadonlyMap<string, Idle> | null>(null);
  return idle === null || idle.size === 0 ? (
    <FindIdle keys={keys} isNone={idle !== null} onFound={setIdle} onClose={onClose} />
  ) : (
    <FreeIdle idle={idle} onClose={onClose} />
  );
}

interface FindIdleProps {
  readonly keys: readonly string[];
  /** Whether the last search found none. */
  readonly isNone: boolean;
  readonly onFound: (idle: ReadonlyMap<string, Idle>) => void;
  readonly onClose: () => void;
}

function FindIdle({ keys, isNone, onFound, onClose }: FindIdleProps) {
  const [days, setDays] = useState('90');
  const [read, setRead] = useState<number | null>(null);
  const now = useNow();
  const given = limitIn(days);
  const find = async () => {
    if (given === null || read !== null) return;
    setRead(0);
    const found = new Map<string, Idle>();
    try {
      await runBounded(AT_ONCE, keys, async (licenseKey) => {
        const { activations } = await call('/getLicense', { licenseKey, activationLimit: MAX_MACHINES });
        for (const machine of idleAmong(activations, given, now))
          found.set(`${licenseKey} ${machine.fingerprint}`, { licenseKey, machine });
        setRead((before) => (before ?? 0) + 1);
      });
      onFound(found);
    } catch (error) {
      toastRefusal(error);
    }
    setRead(null);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Free idle machines of ${counted(keys.length, 'license')}`}
      description="A machine that works from a license file without a connection is not seen either: its file works until it ends."
    >
      <Form onSubmit={() => void find()}>
        <Fields>
          <NumberField
            label="Not seen for"
            unit="days"
            min={1}
            value={days}
            onChange={setDays}
            wrong={given === null ? 'A whole number, 1 or more.' : undefined}
          />
          {isNone && read === null && <p role="status">Every machine was seen within that time.</p>}
          {read !== null && (
            <p role="status">
              {countText(read)} of {counted(keys.length, 'license')} read…
            </p>
          )}
        </Fields>
        <DialogActions>
          <span />
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={given === null} pending={read !== null}>
            Find idle machines
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function FreeIdle({ idle, onClose }: { readonly idle: ReadonlyMap<string, Idle>; readonly onClose: () => void }) {
  const now = useNow();
  const [note, noteOfLicense] = useNoteField();
  const licenses = new Set([...idle.values()].map(({ licenseKey }) => licenseKey));
  // One note stands on each license, with the first of its machines.
  const first = new Map([...idle].toReversed().map(([name, { licenseKey }]) => [licenseKey, name]));
  const of = (name: string): Idle => idle.get(name)!;
  return (
    <BulkDialog
      path="/releaseActivation"
      names={[...idle.keys()]}
      requestOf={(name) => ({ licenseKey: of(name).licenseKey, machineFingerprint: of(name).machine.fingerprint })}
      noteOf={(name) => (first.get(of(name).licenseKey) === name ? noteOfLicense(of(name).licenseKey) : null)}
      nameOf={(name) => <NameOfMachine idle={of(name)} now={now} />}
      title={`Free ${counted(idle.size, 'idle machine')}`}
      description={`They belong to ${counted(licenses.size, 'license')}. This cannot be undone: their apps activate again while a place is free.`}
      verb={`Free ${countText(idle.size)}`}
      doneText={(count) => `${counted(count, 'machine')} freed`}
      danger
      onClose={onClose}
    >
      {note}
    </BulkDialog>
  );
}

function NameOfMachine({ idle: { licenseKey, machine }, now }: { readonly idle: Idle; readonly now: number }) {
  return (
    <>
      {machine.hostname} <Key value={licenseKey} />{' '}
      <span className={styles.quiet}>last seen {relativeTime(machine.lastSeen, now)}</span>
    </>
  );
}
