/**
 * The parts of an installation that are set up before customers come, and those that are left. A person may skip a
 * part: this browser keeps the choice.
 */
import { useSyncExternalStore } from 'react';
import type { GetSystemReply, OperatorKey } from './contract.ts';
import { useRead } from './reads.ts';
import { useCan } from './session.ts';

/** The parts, in the order in which they are shown. */
export const SETUP_PARTS = ['mail', 'pages', 'backup', 'people'] as const;
export type SetupPart = (typeof SETUP_PARTS)[number];

const SKIPPED = 'latchkey.skipped-setup';
const listeners = new Set<() => void>();

/** The state of the installation. */
export interface Setup {
  readonly facts: GetSystemReply['setup'];
  /** The active keys of people, at most a few. */
  readonly keys: readonly OperatorKey[];
  isDone(part: SetupPart): boolean;
  isSkipped(part: SetupPart): boolean;
}

/** Returns the state; undefined while it is read, and for people who may not see it. */
export function useSetup(): Setup | undefined {
  const maySeeSystem = useCan('/getSystem');
  const maySeeKeys = useCan('/listOperatorKeys');
  const maySee = maySeeSystem && maySeeKeys;
  const system = useRead('/getSystem', {}, { enabled: maySee });
  const listed = useRead('/listOperatorKeys', {}, { enabled: maySee });
  const skipped = useSyncExternalStore(subscribe, readSkipped);
  const facts = system.data?.setup;
  if (facts === undefined || listed.data === undefined) return undefined;
  const keys = listed.data.keys.filter(({ active }) => active);
  return {
    facts,
    keys,
    isDone: (part) => isDone(part, facts, keys.length),
    isSkipped: (part) => skipped.split(' ').includes(part),
  };
}

function isDone(part: SetupPart, facts: GetSystemReply['setup'], keys: number): boolean {
  switch (part) {
    case 'mail':
      return facts.sendsMail;
    case 'pages':
      return facts.customerPages;
    case 'backup':
      return facts.lastBackupAt !== null;
    case 'people':
      return facts.identityProvider || keys > 0;
  }
}

/** Skips a part in this browser, or takes it up again. */
export function skipSetup(part: SetupPart, isSkipped: boolean): void {
  const others = readSkipped()
    .split(' ')
    .filter((each) => each !== part && each !== '');
  localStorage.setItem(SKIPPED, (isSkipped ? [...others, part] : others).join(' '));
  for (const listener of listeners) listener();
}

function readSkipped(): string {
  return localStorage.getItem(SKIPPED) ?? '';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
