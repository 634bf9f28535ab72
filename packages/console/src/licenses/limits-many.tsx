import { useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { RequestOf } from '../api/contract.ts';
import { limitAt, useSession } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { FieldRow, NumberField } from '../parts/field.tsx';
import { limitsAfter, typedLimits } from './limits.ts';
import type { ManyProps } from './many-props.ts';
import { useNoteField } from './note-field.tsx';

/** Gives each license a number of machines, and each floating one a number of seats. */
export function LimitsMany({ keys, nameOf, onClose }: ManyProps) {
  const [machines, setMachines] = useState('');
  const [seats, setSeats] = useState('');
  const [note, noteOf] = useNoteField();
  const mayPutBack = limitAt(useSession(), '/updateLicense') === undefined;
  const limits = typedLimits(machines, seats);
  // The list may be older than the license, so its limits are read when they are changed.
  const change = async (licenseKey: string): Promise<RequestOf<'/updateLicense'> | null> => {
    const { license } = await call('/getLicense', { licenseKey, activationLimit: 1 });
    return limits.given === null ? null : limitsAfter(license, limits.given);
  };
  return (
    <BulkDialog
      path="/updateLicense"
      names={keys}
      requestOf={limits.given === null ? null : (licenseKey) => () => change(licenseKey)}
      nameOf={nameOf}
      title={`Change the limits of ${counted(keys.length, 'license')}`}
      description="Machines that are bound keep working when a limit is lowered; no further one fits until enough are gone. An empty field leaves its limit."
      verb={`Change ${countText(keys.length)}`}
      doneText={(count) => `${countText(count)} changed`}
      skippedText={(count) => `${countText(count)} ${count === 1 ? 'has' : 'have'} these limits already`}
      {...(mayPutBack
        ? {
            changeOf: (licenseKey: string, sent: RequestOf<'/updateLicense'>) => ({
              type: 'license.updated' as const,
              licenseKey,
              ...undoneLimits(sent),
            }),
          }
        : {})}
      noteOf={noteOf}
      onClose={onClose}
    >
      <FieldRow>
        <NumberField
          label="Machines"
          hint="-1 is unlimited."
          wrong={limits.wrong.machines}
          min={-1}
          value={machines}
          onChange={setMachines}
        />
        <NumberField
          label="Seats at once"
          hint="Floating licenses only."
          wrong={limits.wrong.seats}
          min={1}
          value={seats}
          onChange={setSeats}
        />
      </FieldRow>
      {note}
    </BulkDialog>
  );
}

/** The limits of a sent change, before and after it. */
function undoneLimits({ maxMachines, wasMaxMachines, maxConcurrent, wasMaxConcurrent }: RequestOf<'/updateLicense'>) {
  const machines = maxMachines !== undefined;
  const seats = maxConcurrent !== undefined;
  return {
    before: {
      ...(machines ? { maxMachines: wasMaxMachines } : {}),
      ...(seats ? { maxConcurrent: wasMaxConcurrent } : {}),
    },
    after: { ...(machines ? { maxMachines } : {}), ...(seats ? { maxConcurrent } : {}) },
  };
}
