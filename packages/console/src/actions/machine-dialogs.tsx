/** Removes a machine from its license, or ends its session. Every screen asks the same question about it. */
import { type ReactNode, useRef, useState } from 'react';
import { shortKey } from '../parts/key-text.ts';
import { useNow } from '../parts/now.ts';
import { toast } from '../parts/toast.tsx';
import { useQuickChange } from './change.ts';
import { sendLater } from './delayed.ts';
import { isInUse, type RemovableMachine, removalEffect, sessionEndEffect } from './machine-removal.ts';
import { WriteDialog } from './write-dialog.tsx';

export interface MachineDialogProps {
  readonly machine: RemovableMachine;
  readonly onClose: () => void;
  /** Reports the success; a toast names the machine by default. */
  readonly onDone?: (() => void) | undefined;
}

/** Asks before it removes a machine. Mount it only while it is open. */
export function RemoveMachineDialog({ machine, onClose, onDone }: MachineDialogProps) {
  const { licenseKey, fingerprint, name } = machine;
  const now = useNow();
  return (
    <WriteDialog
      path="/releaseActivation"
      request={{ licenseKey, machineFingerprint: fingerprint }}
      title={`Remove ${name}?`}
      description={removalEffect(machine, now)}
      verb="Remove machine"
      danger
      onClose={onClose}
      onDone={onDone ?? (() => tellRemoved(machine))}
    />
  );
}

/** Asks before it ends a floating session: only a machine in use has one. Mount it only while it is open. */
export function EndSessionDialog({ machine, onClose, onDone }: MachineDialogProps) {
  const { licenseKey, fingerprint, name } = machine;
  const now = useNow();
  return (
    <WriteDialog
      path="/endSession"
      request={{ licenseKey, machineFingerprint: fingerprint }}
      title={`End the session of ${name}?`}
      description={sessionEndEffect(machine, now)}
      verb="End session"
      onClose={onClose}
      onDone={onDone ?? (() => toast({ title: `The seat of ${name} on license ${shortKey(licenseKey)} is free.` }))}
    />
  );
}

export interface MachineRemoval {
  /** Removes an idle machine after a moment in which it can be undone, and asks about one in use. */
  readonly remove: (machine: RemovableMachine) => void;
  readonly isPending: boolean;
  /** The question; to be rendered. */
  readonly dialog: ReactNode;
}

/** Prepares the removal of machines. */
export function useMachineRemoval(): MachineRemoval {
  const now = useNow();
  const [asking, setAsking] = useState<RemovableMachine | null>(null);
  // Several removals may be under way, so each message names the machine of its own request.
  const removing = useRef(new Map<object, RemovableMachine>());
  /** Machines whose removal is under way, or can still be undone. */
  const waiting = useRef(new Set<string>());
  const change = useQuickChange('/releaseActivation', (_, { request }) => {
    const removed = removing.current.get(request);
    if (removed !== undefined) tellRemoved(removed);
  });
  return {
    remove: (machine) => {
      if (isInUse(machine, now)) return setAsking(machine);
      const place = `${machine.licenseKey} ${machine.fingerprint}`;
      if (waiting.current.has(place)) return;
      waiting.current.add(place);
      const request = { licenseKey: machine.licenseKey, machineFingerprint: machine.fingerprint };
      removing.current.set(request, machine);
      sendLater(
        `${machine.name} is removed in a moment.`,
        () => change.make(request),
        () => {
          removing.current.delete(request);
          waiting.current.delete(place);
        },
      );
    },
    isPending: change.isPending,
    dialog: asking !== null && <RemoveMachineDialog machine={asking} onClose={() => setAsking(null)} />,
  };
}

function tellRemoved({ name, licenseKey }: RemovableMachine): void {
  toast({ title: `${name} was removed from license ${shortKey(licenseKey)}.` });
}
