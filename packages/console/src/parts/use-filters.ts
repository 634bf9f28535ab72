/** Filters, tabs and pages in the address, so that every view has a link. */
import { useLocation, useNavigate } from '@tanstack/react-router';

/** Values from the address. Changing a filter returns to the first page. */
export interface Filters<Name extends string> {
  /** '' if not set. */
  readonly values: Readonly<Record<Name, string>>;
  /** Sets some values; '' removes one. Replaces the entry in the browser's history unless `push` is set. */
  readonly set: (change: Readonly<Partial<Record<Name, string>>>, push?: boolean) => void;
  readonly clear: () => void;
  /** Number of filters in use. */
  readonly count: number;
  /** The cursor of the page; '' on the first page. */
  readonly cursor: string;
  /** Page number, from 1. */
  readonly page: number;
  readonly goTo: (cursor: string, page: number) => void;
}

/** Reads the named values from the address of the screen. */
export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const { search } = useLocation() as { readonly search: Readonly<Record<string, string>> };
  const navigate = useNavigate();
  const go = (next: Readonly<Record<string, string>>, replace: boolean) => {
    const kept = Object.fromEntries(Object.entries(next).filter(([, value]) => value !== ''));
    void navigate({ to: '.', search: kept as never, replace, resetScroll: false });
  };
  const values = Object.fromEntries(names.map((name) => [name, search[name] ?? ''])) as Record<Name, string>;
  const set = (change: object, push = false) => {
    const { cursor: _cursor, page: _page, ...rest } = search;
    go({ ...rest, ...change }, !push);
  };
  return {
    values,
    set,
    clear: () => set(Object.fromEntries(names.map((name) => [name, ''])), true),
    count: names.filter((name) => values[name] !== '').length,
    cursor: search.cursor ?? '',
    page: Math.max(1, Number(search.page ?? '1') || 1),
    goTo: (cursor, page) => go({ ...search, cursor, page: page > 1 ? String(page) : '' }, false),
  };
}

/** The pages of a list for its table: forwards by the service's cursor, backwards through the browser's history. */
export function pagesOf(
  filters: Pick<Filters<string>, 'page' | 'goTo'>,
  nextCursor: string | undefined,
): { readonly shown: string; readonly onPrevious?: () => void; readonly onNext?: () => void } {
  return {
    shown: `Page ${filters.page}`,
    ...(filters.page > 1 ? { onPrevious: () => history.back() } : {}),
    ...(nextCursor === undefined ? {} : { onNext: () => filters.goTo(nextCursor, filters.page + 1) }),
  };
}
