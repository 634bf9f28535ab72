import type { ReactNode } from 'react';
import type { ChosenRows } from './chosen-rows.ts';

/** The props of a dialog for one action on the selected licenses. */
export interface ManyProps {
  /** The licenses when the dialog opened. */
  readonly keys: readonly string[];
  readonly chosen: ChosenRows;
  readonly nameOf: (key: string) => ReactNode;
  readonly onClose: () => void;
}
