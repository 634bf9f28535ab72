/** Dialogs: one thing to do, above the screen. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { classes } from './classes.ts';
import styles from './dialog.module.css';
import symbol from './symbol.module.css';
import unseen from './unseen.module.css';

export interface DialogProps {
  readonly open: boolean;
  /** Closed by Escape, by its cross or by a press outside. */
  readonly onClose: () => void;
  readonly title: string;
  /** What it is for, in a sentence. */
  readonly description?: ReactNode;
  readonly children?: ReactNode;
  /** Buttons at its end; the one that does it is the last. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Whether it stays when somebody presses outside of it, because something was typed. */
  readonly stays?: boolean;
  /** `bare`: no padding, its title for screen readers only, as where a field stands in the title's place. */
  readonly look?: 'plain' | 'bare';
  readonly initialFocus?: RefObject<HTMLElement | null>;
}

/** What somebody types into or chooses from: the first of them has the focus when a dialog opens. */
const FIELDS = 'input:not([disabled]), select:not([disabled]), textarea:not([disabled])';

/** A dialog over the screen; focus stays in it and goes back when it is closed. */
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
 * A dialog gives the focus back to what opened it. Where that is gone, as a bar of rows that are no longer selected, the
 * title of the screen has it, so that nobody who uses the keyboard begins anew at the top of the page.
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
