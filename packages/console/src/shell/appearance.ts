/** Light or dark: follows the system unless a choice is stored in this browser. */

export type Appearance = 'system' | 'light' | 'dark';

const KEPT = 'latchkey.appearance';

/** The choice stored in this browser. */
export function chosenAppearance(): Appearance {
  const kept = localStorage.getItem(KEPT);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Stores a choice and applies it. */
export function chooseAppearance(appearance: Appearance): void {
  if (appearance === 'system') localStorage.removeItem(KEPT);
  else localStorage.setItem(KEPT, appearance);
  applyAppearance();
}

/** Applies the stored choice. */
export function applyAppearance(): void {
  const chosen = chosenAppearance();
  if (chosen === 'system') delete document.documentElement.dataset.appearance;
  else document.documentElement.dataset.appearance = chosen;
}
