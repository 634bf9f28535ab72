/** The parts that the tables of both kinds of keys share: the state of a key, and the revoke action. */
import { Mono } from '../parts/copy.tsx';
import { Menu } from '../parts/menu.tsx';
import { useNow } from '../parts/now.ts';
import { StatusOf } from '../parts/status.tsx';
import type { Column } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { keyState, shortHash } from './words.ts';

/** A key of either kind. */
interface AnyKey {
  readonly name: string;
  readonly active: boolean;
  readonly createdAt: string;
  /** The end of an operator key; API keys have none. */
  readonly expiresAt?: string | null;
}

function KeyState({ of: { active, expiresAt = null } }: { readonly of: AnyKey }) {
  return <StatusOf {...keyState(active, expiresAt, useNow())} />;
}

export const LAST_COLUMNS: readonly Column<AnyKey>[] = [
  { title: 'State', cell: (key) => <KeyState of={key} />, phone: 'firstEnd' },
  { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', phone: 'secondEnd' },
];

/** The table props for revoking keys; empty without permission to revoke. */
export function revoking<Key extends AnyKey>(mayRevoke: boolean, revoke: (key: Key) => void) {
  if (!mayRevoke) return {};
  return {
    actions: (key: Key) =>
      key.active && (
        <Menu
          label={`Actions of ${key.name}`}
          groups={[[{ title: 'Revoke', onSelect: () => revoke(key), danger: true }]]}
        />
      ),
  };
}

/** The beginning of a hash; the whole hash on hover. */
export function Hash({ of: hash }: { readonly of: string }) {
  return (
    <span title={hash}>
      <Mono>{shortHash(hash)}</Mono>
    </span>
  );
}
