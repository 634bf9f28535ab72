/**
 * Keys that do something while no field is being typed in. Single letters can be switched off, for people who dictate or
 * whose hand slips (WCAG 2.1.4).
 */
import { useEffect, useSyncExternalStore } from 'react';

/** One shortcut. */
export interface Shortcut {
  /** A key as the keyboard names it (`j`, `?`, `Escape`), or two after each other with a blank between (`g l`). */
  readonly keys: string;
  /** What it does, for the list that `?` shows. */
  readonly does: string;
  readonly run: () => void;
}

const OFF = 'latchkey.shortcuts';
/** How long the second of two keys may take, in milliseconds. */
const SECOND_KEY_MS = 1_500;

const active = new Map<object, readonly Shortcut[]>();
const listeners = new Set<() => void>();
let listed: readonly Shortcut[] = [];
let isCovered = false;
let first: { readonly key: string; readonly at: number } | null = null;

/** Makes shortcuts work while the component that names them is in sight. A later one wins over an earlier one. */
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

/** All shortcuts that work at this moment. */
export function useActiveShortcuts(): readonly Shortcut[] {
  return useSyncExternalStore(subscribe, () => listed);
}

/** Whether single letters work. */
export function areShortcutsOn(): boolean {
  return localStorage.getItem(OFF) !== 'off';
}

/** Switches single letters on or off, for this browser. */
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
  // Before anybody has heard of the key: whoever does may close what covers the screen, which is then gone too early.
  const looked = () => {
    isCovered = document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null;
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (isCovered || event.isComposing) return;
    // Escape is no letter: nobody says it, and it goes on working.
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
