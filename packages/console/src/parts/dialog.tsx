/** Dialogs: one task, above the screen. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import symbol from './symbol.module.css';
import unseen from './unseen.module.css';

export interface DialogProps {
  readonly open: boolean;
  /** Called on Escape, the close button, or a press outside. */
  readonly onClose: () => void;
  readonly title: string;
  /** The purpose, in a sentence. */
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons at the end; the confirming one is last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Whether a press outside does not close the dialog, because it may hold typed text. */
  readonly stays?: boolean;
  /** `bare`: no padding, and a title for screen readers only, as for a field in the title's place. */
  readonly look?: 'plain' | 'bare';
  readonly initialFocus?: RefObject<HTMLElement | null>;
}

/** The props of a dialog about one thing. */
export interface DialogOf<Thing> {
  readonly of: Thing;
  readonly onClose: () => void;
}

/** Input elements: the first one gets the focus when a dialog opens. */
const FIELDS = 'input:not([disabled]), select:not([disabled]), textarea:not([disabled])';

/** A dialog above the screen. It traps the focus and returns it when closed. */
export function Dialog(props: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  useFocusKept(props.open);
  const firstField = () => popup.current?.querySelector<HTMLElement>(FIELDS) ?? popup.current ?? true;
  return (
    <Base.Root
      open={props.open}
      onOpenChange={(open) => !open && props.onClose()}
      disablePointerDismissal={props.stays ?? false}
    >
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Viewport className={styles.viewport}>
          <Base.Popup
            className={classes(styles.dialog, props.wide === true && styles.wide, props.look === 'bare' && styles.bare)}
            initialFocus={props.initialFocus ?? firstField}
            ref={popup}
          >
            <header className={styles.head}>
              <Base.Title className={props.look === 'bare' ? unseen.unseen : styles.title}>{props.title}</Base.Title>
              <Base.Close className={classes(symbol.button, styles.close)} aria-label="Close">
                <svg viewBox="0 0 16 16" aria-hidden="true" className={symbol.icon}>
                  <path d="M4 4l8 8M12 4l-8 8" />
                </svg>
              </Base.Close>
            </header>
            {props.description !== undefined && (
              <Base.Description className={styles.description} render={<div />}>
                {props.description}
              </Base.Description>
            )}
            {props.children}
            {props.actions !== undefined && <footer className={styles.actions}>{props.actions}</footer>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * Returns the focus to the element that opened the dialog. If that element is gone, for example a bar for rows that are
 * no longer selected, the title of the screen gets the focus, so that keyboard users do not start again at the top of
 * the page.
 */
function useFocusKept(isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return;
    return () =>
      void setTimeout(() => {
        if (document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus();
      });
  }, [isOpen]);
}

/** The row of buttons at the end of a dialog's form. */
export function DialogActions({ children }: { readonly children: ReactNode }) {
  return <footer className={styles.actions}>{children}</footer>;
}

export interface DialogFootProps {
  /** The place of messages about changes that the dialog stays open after. */
  readonly news: ReactNode;
  /** The buttons. */
  readonly children: ReactNode;
}

/** The end of a dialog that shows messages: they are above the buttons, and both stay in sight. */
export function DialogFoot({ news, children }: DialogFootProps) {
  return (
    <div className={styles.foot}>
      {news}
      <DialogActions>{children}</DialogActions>
    </div>
  );
}
