/** Session tokens: the table of their keys. */
import type { Slice } from '../../platform/slice/slice.ts';
import { sessionTokenTables } from './tables.ts';
import { TokenKeys } from './token-keys.ts';

export const sessionTokens = {
  tables: sessionTokenTables,
  ruleParts({ settings, clock }) {
    const tokenKeys = new TokenKeys(settings.tokenLifetimeMs);
    return { given: { tokenKeys }, open: (storage) => tokenKeys.open(storage, clock) };
  },
} satisfies Slice;
