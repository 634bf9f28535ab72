/**
 * Named views of the list, stored in this browser: a name and filters, never customers or keys. Filters by e-mail
 * address or purchase are not stored.
 */
import { FILTERS, type FilterValues } from './first-reads.ts';

export interface SavedView {
  readonly name: string;
  /** The query of the address, `status=active&product=tapehead`. */
  readonly query: string;
}

const KEPT = 'latchkey.views.licenses';
/** Maximum number of saved views. */
const MOST = 30;
/** Filters that identify a customer. */
const PERSONAL: readonly string[] = ['email', 'purchase'];

/** The saved views of this browser. Damaged entries are ignored. */
export function savedViews(): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

/** The query as stored. */
export function keptQuery(values: FilterValues): string {
  const kept = FILTERS.filter((name) => values[name] !== '' && !PERSONAL.includes(name));
  return new URLSearchParams(kept.map((name) => [name, values[name]])).toString();
}

/** Saves a view; replaces one of the same name. */
export function saveView(name: string, values: FilterValues): void {
  const others = savedViews().filter((view) => view.name !== name);
  keep([...others, { name, query: keptQuery(values) }].slice(-MOST));
}

/** Deletes a view. */
export function forgetView(name: string): void {
  keep(savedViews().filter((view) => view.name !== name));
}

function keep(views: readonly SavedView[]): void {
  localStorage.setItem(KEPT, JSON.stringify(views));
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, query } = value as Partial<SavedView>;
  return typeof name === 'string' && typeof query === 'string';
}
