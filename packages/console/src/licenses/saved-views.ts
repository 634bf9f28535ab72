/**
 * Views of the list that somebody gave a name, kept in this browser: a name and filters, never customers or keys. A filter
 * by e-mail address or purchase is not kept.
 */
import { FILTERS, type FilterValues } from './list-filters.ts';

/** A saved view. */
export interface SavedView {
  readonly name: string;
  /** The query of the address, `status=active&product=tapehead`. */
  readonly query: string;
}

const KEPT = 'latchkey.views.licenses';
/** More than these are not kept. */
const MOST = 30;
/** Filters that name a customer. */
const PERSONAL: readonly string[] = ['email', 'purchase'];

/** The saved views of this browser. What is damaged is forgotten. */
export function savedViews(): readonly SavedView[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isView) : [];
  } catch {
    return [];
  }
}

/** The query of filters as it is kept. */
export function keptQuery(values: FilterValues): string {
  const kept = FILTERS.filter((name) => values[name] !== '' && !PERSONAL.includes(name));
  return new URLSearchParams(kept.map((name) => [name, values[name]])).toString();
}

/** Saves a view; one of the same name is replaced. */
export function saveView(name: string, values: FilterValues): void {
  const others = savedViews().filter((view) => view.name !== name);
  keep([...others, { name, query: keptQuery(values) }].slice(-MOST));
}

/** Forgets a view. */
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
