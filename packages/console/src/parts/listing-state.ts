import type { ReactNode } from 'react';
import type { ListAgeProps } from './list-age.tsx';
import type { TablePagesProps } from './table-pages.tsx';

/** The state of a list's query; lists and tables share it. */
export interface ListingState {
  /** The message after a failed read. Earlier entries stay in sight beside it. */
  readonly notice?: ReactNode;
  /** Whether these are previous entries, shown while newer ones load. */
  readonly fresh?: boolean;
  readonly pages?: TablePagesProps;
  /** Null while the entries of another request are in sight. */
  readonly age?: ListAgeProps | null;
}
