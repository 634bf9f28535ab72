/** Selects all licenses of a list, also those of other pages. */
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { LicenseSummary, RequestOf } from '../api/contract.ts';
import { given } from '../api/given.ts';
import { Button } from '../parts/button.tsx';
import { countText } from '../parts/count-words.ts';

/** Page size: the maximum of the service. */
const PAGE = 1000;

export interface SelectAllProps {
  /** The list to read; absent where all of its licenses are known. */
  readonly request?: RequestOf<'/listLicenses'>;
  readonly licenses?: readonly LicenseSummary[];
  readonly onSelect: (licenses: readonly LicenseSummary[]) => void;
}

/** Reads the list from its beginning, up to the bound of long reads, and shows how far it is. */
export function SelectAll({ request, licenses: known, onSelect }: SelectAllProps) {
  const [read, setRead] = useState<number | null>(null);
  const select = async () => {
    if (known !== undefined) return onSelect(known);
    setRead(0);
    const { readAll } = await import('../actions/read-all.ts');
    const all = await readAll(
      async (cursor) => {
        const { licenses, nextCursor } = await call('/listLicenses', { ...request, limit: PAGE, ...given({ cursor }) });
        return { entries: licenses, nextCursor };
      },
      (count) => `The first ${count} are selected.`,
      setRead,
    );
    setRead(null);
    if (all !== null) onSelect(all);
  };
  return (
    <Button pending={read !== null} onClick={() => void select().catch(() => setRead(null))}>
      {read !== null
        ? `${countText(read)} read…`
        : known === undefined
          ? 'Select all that fit'
          : `Select all ${countText(known.length)}`}
    </Button>
  );
}
