/**
 * One search field for everything: paste a text from a customer, and Enter opens the first hit. It is a combobox with
 * its list always in sight. Recent hits are kept in memory only, because they name customers.
 */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { call } from '../api/call.ts';
import type { SearchHit } from '../api/contract.ts';
import { asRefusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { useCan, useSession } from '../api/session.ts';
import { classes } from '../parts/classes.ts';
import { counted } from '../parts/count-words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { shortKey } from '../parts/key-text.ts';
import { useNow } from '../parts/now.ts';
import { screens } from '../screens.ts';
import styles from './palette.module.css';
import {
  addressOf,
  addressOfCustomer,
  contextOf,
  customersAmong,
  foundText,
  KINDS,
  matchText,
  nothingText,
  refusedFirst,
  seenText,
} from './palette-words.ts';

/** Minimum length of a query; shorter ones match too much. */
const SHORTEST = 2;
/** Pause in typing before the search starts, in milliseconds; Enter starts it at once. */
const PAUSE_MS = 120;
const RECENT = 5;
/** Maximum number of characters that the service searches; a longer text is cut. */
const LONGEST = 20_000;

/** One line of the list. */
interface Line {
  readonly group: string;
  readonly title: string;
  readonly detail: string;
  readonly address: string;
}

let recent: readonly Line[] = [];

export interface PaletteProps {
  /** The text typed before the field has the focus; it grows until then. */
  readonly early: string;
  readonly onClose: () => void;
}

export function Palette({ early, onClose }: PaletteProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState(early);
  const taken = useRef(early.length);
  const [chosen, setChosen] = useState(0);
  // Whether Enter was pressed before the reply, which then opens the first hit.
  const [isAwaited, setAwaited] = useState(false);
  const now = useNow();
  const query = usePaused(text.trim(), PAUSE_MS);
  const found = useHits(query);
  const places = useScreens(text.trim());
  const isCurrent = query === text.trim() && !found.isFetching;
  const lines = useMemo(
    () => (text.trim() === '' ? [...recent, ...places] : [...hitLines(found.hits, now), ...places]),
    [text, found.hits, places, now],
  );
  const at = Math.min(chosen, Math.max(0, lines.length - 1));

  const open = (line: Line) => {
    if (line.group !== 'Screens')
      recent = [
        { ...line, group: 'Recently opened' },
        ...recent.filter(({ address }) => address !== line.address),
      ].slice(0, RECENT);
    onClose();
    location.hash = `#${line.address}`;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the reply triggers it
  useEffect(() => {
    if (!isAwaited || !isCurrent) return;
    setAwaited(false);
    if (lines[0] !== undefined) open(lines[0]);
  }, [isAwaited, isCurrent]);
  useEffect(() => {
    list.current?.querySelector(`[data-at="${at}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  useEffect(() => {
    const more = early.slice(taken.current);
    taken.current = early.length;
    if (more !== '') setText((before) => before + more);
  }, [early]);

  const pressed = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by !== 0 && lines.length > 0) {
      event.preventDefault();
      setChosen((at + by + lines.length) % lines.length);
    }
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const line = lines[at];
    if (!isCurrent && text.trim().length >= SHORTEST) setAwaited(true);
    else if (line !== undefined) open(line);
  };

  return (
    <Dialog open onClose={onClose} title="Search" wide look="bare">
      <div className={styles.palette}>
        <input
          className={styles.input}
          type="text"
          role="combobox"
          aria-label="Search"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={lines.length === 0 ? undefined : `${id}-${at}`}
          autoComplete="off"
          spellCheck={false}
          placeholder="Key, e-mail, name, domain, order, hostname"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setChosen(0);
            setAwaited(false);
          }}
          onKeyDown={pressed}
          onPaste={(event) => {
            // The field has one line: without this, the browser would join the last word of a line and the next one.
            const pasted = event.clipboardData.getData('text');
            if (!/[\r\n]/.test(pasted)) return;
            event.preventDefault();
            const { selectionStart, selectionEnd, value } = event.currentTarget;
            const kept = [value.slice(0, selectionStart ?? value.length), value.slice(selectionEnd ?? value.length)];
            setText(kept.join(pasted.replace(/\s*[\r\n]+\s*/g, ' ').slice(0, LONGEST)));
            setChosen(0);
            setAwaited(false);
          }}
        />
        <div ref={list} id={`${id}-list`} className={styles.list} role="listbox" aria-label="Found">
          {groupsOf(lines).map(([group, entries]) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options is not a fieldset
            <div key={group} role="group" aria-label={group} className={styles.group}>
              <div className={styles.title} aria-hidden="true">
                {group}
              </div>
              {entries.map(({ line, index }) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field
                <div
                  key={line.address}
                  id={`${id}-${index}`}
                  data-at={index}
                  role="option"
                  aria-selected={index === at}
                  className={classes(styles.line, index === at && styles.chosen)}
                  onClick={() => open(line)}
                  onPointerMove={() => setChosen(index)}
                >
                  <span className={styles.name}>{line.title}</span>
                  <span className={styles.detail}>{line.detail}</span>
                </div>
              ))}
            </div>
          ))}
        </div>
        <p className={styles.foot} role="status">
          {saidOf(text.trim(), isCurrent, found)}
        </p>
      </div>
    </Dialog>
  );
}

function saidOf(text: string, isCurrent: boolean, found: ReturnType<typeof useHits>): string {
  if (text.length < SHORTEST) return 'Paste what the customer sent. Enter opens the first.';
  if (!isCurrent) return 'Searching…';
  if (found.refused !== null) return found.refused;
  if (found.hits.length === 0) return nothingText(text, found.searchedFor);
  return `${foundText(found.hits.length, found.isMore)} Enter opens, arrow keys choose.`;
}

/** The service's hits. */
function useHits(query: string) {
  const isAllowed = useCan('/searchEverything');
  const found = useQuery({
    queryKey: ['/searchEverything', query],
    queryFn: ({ signal }) => call('/searchEverything', { query: query.slice(0, LONGEST), limit: 20 }, { signal }),
    enabled: isAllowed && query.length >= SHORTEST,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const refusal = found.error === null ? null : wordsFor(asRefusal(found.error));
  const isShown = query.length >= SHORTEST && refusal === null;
  return {
    hits: isShown ? (found.data?.hits ?? NOTHING) : NOTHING,
    isMore: found.data?.isMore ?? false,
    searchedFor: found.data?.searchedFor ?? [],
    isFetching: found.isFetching,
    refused: refusal === null ? null : `${refusal.title} ${refusal.advice}`,
  };
}

const NOTHING: readonly SearchHit[] = [];

/** The screens whose titles start with the text. */
function useScreens(text: string): readonly Line[] {
  const { can } = useSession();
  return useMemo(
    () =>
      screens
        .filter(({ navigation, needs }) => navigation !== undefined && can.includes(needs))
        .filter(({ title }) => title.toLowerCase().startsWith(text.toLowerCase()))
        .map(({ title, path, go }) => ({
          group: 'Screens',
          title,
          detail: go === undefined ? '' : `g ${go}`,
          address: path,
        })),
    [text, can],
  );
}

/**
 * The lines of the hits. Customers come first if one of them has several licenses; an only license says more than its
 * customer.
 */
function hitLines(hits: readonly SearchHit[], now: number): readonly Line[] {
  const found = customersAmong(hits);
  const customers = found.map(({ email, licenses }) => ({
    group: 'Customers',
    title: email,
    detail: `${counted(licenses, 'license')} found`,
    address: addressOfCustomer(email),
  }));
  const others = linesOf(hits, now);
  return found.some(({ licenses }) => licenses > 1) ? [...customers, ...others] : [...others, ...customers];
}

function linesOf(hits: readonly SearchHit[], now: number): readonly Line[] {
  return KINDS.flatMap(([kind, group]) =>
    hits
      .filter((hit) => hit.kind === kind)
      .sort(refusedFirst)
      .map((hit) => {
        const key = hit.licenseKey === null ? null : shortKey(hit.licenseKey);
        const status = hit.status === 'refused' ? null : hit.status;
        const parts = [...contextOf(hit), seenText(hit, now), key, status, matchText(hit)].filter(
          (part) => part !== null && part !== '',
        );
        return { group, title: hit.title, detail: parts.join(' · '), address: addressOf(hit) };
      }),
  );
}

function groupsOf(lines: readonly Line[]) {
  const groups = new Map<string, { readonly line: Line; readonly index: number }[]>();
  lines.forEach((line, index) => {
    const entries = groups.get(line.group) ?? [];
    entries.push({ line, index });
    groups.set(line.group, entries);
  });
  return [...groups];
}

/** A text after it has not changed for `pause` milliseconds. */
function usePaused(text: string, pause: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pause);
    return () => clearTimeout(timer);
  }, [text, pause]);
  return settled;
}
