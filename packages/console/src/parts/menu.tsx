/** Menus of actions that are too rare for a button of their own. */
import { Menu as Base } from '@base-ui/react/menu';
import { type ReactNode, useRef, useState } from 'react';
import button from './button.module.css';
import { classes } from './classes.ts';
import styles from './menu.module.css';

/** One entry: an action or a link. */
export interface MenuEntry {
  readonly title: string;
  readonly onSelect?: () => void;
  readonly href?: string;
  /** Whether the action is harmful, which the colour shows. */
  readonly danger?: boolean;
  readonly disabled?: boolean;
  /** The key of the same action. */
  readonly shortcut?: string;
}

export interface MenuProps {
  /** The accessible name. The menu of a row names the row, as "Actions of ada@example.com". */
  readonly label: string;
  /** The content of the button; three dots by default. */
  readonly children?: ReactNode;
  /** Divided by lines. Empty groups are omitted. */
  readonly groups: readonly (readonly MenuEntry[])[];
  readonly small?: boolean;
}

export function Menu({ label, children, groups, small }: MenuProps) {
  // The menu is mounted beside its button in the page, so that screen readers know where it belongs.
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const trigger = useRef<HTMLElement>(null);
  const [isFixed, setFixed] = useState(false);
  const filled = groups.filter((group) => group.length > 0);
  if (filled.length === 0) return null;
  const isSymbol = children === undefined;
  return (
    <Base.Root onOpenChange={() => setFixed(isInFixedBar(trigger.current, place))}>
      <Base.Trigger
        ref={(button: HTMLElement | null) => {
          trigger.current = button;
          // Not in the head of a page: the row of its buttons would move.
          setPlace(button?.closest<HTMLElement>('main, [role="dialog"]') ?? button?.closest('header') ?? null);
        }}
        className={classes(
          button.button,
          isSymbol ? button.quiet : button.plain,
          (small ?? isSymbol) && button.small,
          isSymbol && styles.symbol,
        )}
        aria-label={isSymbol ? label : undefined}
      >
        {children ?? <Dots />}
        {!isSymbol && <Chevron />}
      </Base.Trigger>
      <Base.Portal container={place}>
        <Base.Positioner
          className={styles.positioner}
          sideOffset={4}
          align="end"
          positionMethod={isFixed ? 'fixed' : 'absolute'}
        >
          <Base.Popup className={styles.menu} aria-label={label}>
            {filled.map((group) => (
              <Base.Group key={group[0]?.title} className={styles.group}>
                {group.map((entry) => (
                  <Entry key={entry.title} {...entry} />
                ))}
              </Base.Group>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

/** Returns true for a button that stays in place while its container scrolls: its menu must not move from a tap. */
function isInFixedBar(button: HTMLElement | null, container: HTMLElement | null): boolean {
  for (let each = button; each !== null && each !== container; each = each.parentElement)
    if (getComputedStyle(each).position === 'fixed') return true;
  return false;
}

function Entry({ title, onSelect, href, danger, disabled, shortcut }: MenuEntry) {
  const look = classes(styles.entry, danger === true && styles.danger);
  const shown = (
    <>
      <span>{title}</span>
      {shortcut !== undefined && <kbd className={styles.shortcut}>{shortcut}</kbd>}
    </>
  );
  if (href !== undefined) {
    return (
      <Base.LinkItem className={look} href={href} closeOnClick>
        {shown}
      </Base.LinkItem>
    );
  }
  return (
    <Base.Item className={look} disabled={disabled ?? false} onClick={() => onSelect?.()}>
      {shown}
    </Base.Item>
  );
}

function Dots() {
  return (
    <svg viewBox="0 0 16 16" className={styles.dots} aria-hidden="true">
      <circle cx="3" cy="8" r="1.4" />
      <circle cx="8" cy="8" r="1.4" />
      <circle cx="13" cy="8" r="1.4" />
    </svg>
  );
}

function Chevron() {
  return (
    <svg viewBox="0 0 12 12" className={styles.chevron} aria-hidden="true">
      <path d="M3 4.5l3 3 3-3" />
    </svg>
  );
}
