/**
 * Keyboard shortcuts, active outside fields. Single letters can be switched off, for people who dictate or press keys
 * by mistake (WCAG 2.1.4).
 */
import { useEffect, useSyncExternalStore } from 'react';

export interface Shortcut {
  /** A key by its keyboard name (`j`, `?`, `Escape`), or two successive keys separated by a blank (`g l`). */
  readonly keys: string;
  /** The description in the list that `?` shows. */
  readonly does: string;
  readonly run: () => void;
}

const OFF = 'latchkey.shortcuts';
/** Maximum time between the two keys, in milliseconds. */
const SECOND_KEY_MS = 1_500;

const active = new Map<object, readonly Shortcut[]>();
const listeners = new Set<() => void>();
let listed: readonly Shortcut[] = [];
let isCovered = false;
let first: { readonly key: string; readonly at: number } | null = null;

/**
 * Activates shortcuts while the calling component is mounted. A later shortcut takes precedence over an earlier one.
 */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    const holder = {};
    active.set(holder, shortcuts);
    changed();
    return () => {
      active.delete(holder);
      changed();
    };
  });
}

/** All active shortcuts. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => listed);
}

/** Whether single letters are switched on. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(OFF) !== 'off';
}

/** Switches single letters on or off in this browser. */
export function switchShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, 'off');
}

function changed(): void {
  const next = [...active.values()].flat();
  const isSame =
    next.length === listed.length &&
    next.every(({ keys, does }, at) => listed[at]?.keys === keys && listed[at]?.does === does);
  if (isSame) return;
  listed = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Listens to the keyboard. Called once, by the shell. */
export function listenToShortcuts(): () => void {
  // Runs in the capture phase, because other handlers of the key may close the dialog that covers the screen.
  const looked = () => {
    isCovered = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (isCovered || event.isComposing) return;
    // Escape is not a letter that dictation produces, so it stays active.
    if (!areShortcutsOn() && event.key !== 'Escape') return;
    const now = performance.now();
    const both = first !== null && now - first.at < SECOND_KEY_MS ? `${first.key} ${event.key}` : null;
    const all = [...active.values()].flat().toReversed();
    const found = all.find(({ keys }) => keys === both) ?? all.find(({ keys }) => keys === event.key);
    first = all.some(({ keys }) => keys.startsWith(`${event.key} `)) ? { key: event.key, at: now } : null;
    if (found === undefined) return;
    event.preventDefault();
    first = null;
    found.run();
  };
  addEventListener('keydown', looked, { capture: true });
  addEventListener('keydown', pressed);
  return () => {
    removeEventListener('keydown', looked, { capture: true });
    removeEventListener('keydown', pressed);
  };
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.matches('textarea, select')) return true;
  return target.matches('input:not([type="checkbox"]):not([type="radio"])');
}
