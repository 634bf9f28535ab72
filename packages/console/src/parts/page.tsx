/** The frame of a screen: title, actions on the whole screen, and content. */
import { type ReactNode, useEffect, useRef } from 'react';
import { actionsShortcut } from './actions-key.ts';
import { useBottomRoom } from './bottom-room.ts';
import { classes } from './classes.ts';
import styles from './page.module.css';
import { useShortcuts } from './shortcuts.ts';
import { goBack } from './way-back.ts';

export interface PageProps {
  /** The title of the screen and of the browser tab. */
  readonly title: string;
  /** Replaces the visible title if plain text is not enough, as for a whole key. */
  readonly shownTitle?: ReactNode;
  /** The parent screen. */
  readonly back?: { readonly title: string; readonly href: string };
  /** Below the title: facts in a line. */
  readonly subtitle?: ReactNode;
  /**
   * Buttons. On phones, the buttons of an item are at the lower edge of the screen, and those of a list below the
   * title.
   */
  readonly actions?: ReactNode;
  /** Whether only the content is printed, as for cards to cut out. */
  readonly printsContentOnly?: boolean;
  readonly children: ReactNode;
}

let isFirst = true;

/** A screen. It takes the focus when it replaces another one, so that screen readers read its title. */
export function Page({ title, shownTitle, back, subtitle, actions, printsContentOnly, children }: PageProps) {
  const page = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
  }, [title]);
  useEffect(() => {
    // After a return to a list, the row that was opened already has the focus. A search that was opened while the
    // screen was loading keeps it: the dialog would take it back, but keys pressed until then would be lost.
    const focused = document.activeElement;
    const isTaken = page.current?.contains(focused) || focused?.closest('[role="dialog"][data-open]');
    if (!isFirst && !isTaken) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  const hasBar = back !== undefined && printsContentOnly !== true;
  useBottomRoom(bar, hasBar && Boolean(actions));
  useShortcuts([
    ...(back === undefined ? [] : [{ keys: 'Escape', does: 'Back to the list', run: () => goBack(back.href) }]),
    ...(actions ? [actionsShortcut] : []),
  ]);
  return (
    <div ref={page} className={classes(styles.page, printsContentOnly === true && styles.contentOnly)}>
      {back !== undefined && (
        <a className={styles.back} href={back.href}>
          <span aria-hidden="true">‹ </span>
          {back.title}
        </a>
      )}
      <header className={styles.head}>
        <div className={styles.titles}>
          <h1 ref={heading} tabIndex={-1}>
            {shownTitle ?? title}
          </h1>
          {subtitle !== undefined && <div className={styles.subtitle}>{subtitle}</div>}
        </div>
        {actions ? (
          <div ref={bar} className={classes(styles.actions, hasBar && styles.bar)} data-actions="page">
            {actions}
          </div>
        ) : null}
      </header>
      {children}
    </div>
  );
}
