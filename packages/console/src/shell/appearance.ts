/** Light or dark: as the computer has it, unless somebody chose otherwise in this browser. */

/** What can be chosen. */
export type Appearance = 'system' | 'light' | 'dark';

const KEPT = 'latchkey.appearance';

/** What was chosen in this browser. */
export function chosenAppearance(): Appearance {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Chooses, keeps it, and shows it. */
export function chooseAppearance(appearance: Appearance): void {
  if (appearance === 'system') localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, appearance);
  applyAppearance();
}

/** Shows what was chosen. */
export function applyAppearance(): void {
  const chosen = chosenAppearance();
  if (chosen === 'system') delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = chosen;
}
