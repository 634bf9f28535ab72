/** The dialogs that create and revoke keys. */
import { useState } from 'react';
import { CreatorField, KnownCreatorField } from '../actions/creator-field.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { ApiKey, OperatorKey, OperatorRole } from '../api/contract.ts';
import { given } from '../api/given.ts';
import type { DialogOf } from '../parts/dialog.tsx';
import { DateField, SelectField, TextField } from '../parts/field.tsx';
import { useNow } from '../parts/now.ts';
import { lastMomentOf } from '../parts/time-words.ts';
import { toast } from '../parts/toast.tsx';
import type { NewKey } from './key-shown-once.tsx';
import { hasEnded, ROLE_WORDS, revokedText } from './words.ts';

interface Making {
  readonly onClose: () => void;
  readonly onMade: (key: NewKey) => void;
}

/** Creates an API key for a creator. */
export function NewApiKeyDialog({ onClose, onMade }: Making) {
  const [creator, setCreator] = useState('');
  const [name, setName] = useState('');
  const isWhole = creator.trim() !== '' && name.trim() !== '';
  return (
    <WriteDialog
      path="/createApiKey"
      title="New API key"
      description="It reaches the products, variants, licenses and codes of one creator, and nobody else's."
      verb="Create key"
      request={isWhole ? { creatorId: creator.trim(), name: name.trim() } : null}
      onClose={onClose}
      onDone={(reply, requestId) => onMade({ rawKey: reply.apiKey, name: reply.name, requestId })}
    >
      <CreatorField
        label="Creator"
        value={creator}
        onChange={setCreator}
        hint="The name that their products use. It cannot be changed later."
        required
      />
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="Where it is used, such as: Build server."
        required
      />
    </WriteDialog>
  );
}

/** Creates an operator key, with which one person signs in. */
export function NewOperatorKeyDialog({ onClose, onMade }: Making) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<OperatorRole>('support');
  const [lastDay, setLastDay] = useState('');
  const [openedAt] = useState(useNow());
  const expiresAt = lastDay === '' ? undefined : lastMomentOf(lastDay);
  const isPast = expiresAt !== undefined && hasEnded(expiresAt, openedAt);
  return (
    <WriteDialog
      path="/createOperatorKey"
      title="New operator key"
      description="One person signs in to this console with it. No program can use it."
      verb="Create key"
      request={name.trim() === '' || isPast ? null : { name: name.trim(), role, ...given({ expiresAt }) }}
      onClose={onClose}
      onDone={(reply, requestId) => onMade({ rawKey: reply.operatorKey, name: reply.name, requestId })}
    >
      <TextField label="Name" value={name} onChange={setName} hint="The name of the person in the activity." required />
      <SelectField
        label="Role"
        value={role}
        onChange={(value) => setRole(value as OperatorRole)}
        options={Object.entries(ROLE_WORDS).map(([value, { title }]) => ({ value, title }))}
        hint={ROLE_WORDS[role].does}
      />
      <DateField
        label="Last day"
        value={lastDay}
        onChange={setLastDay}
        hint="Empty: the key has no end."
        wrong={isPast ? 'That day is in the past.' : undefined}
      />
    </WriteDialog>
  );
}

/** Revokes one API key. */
export function RevokeApiKeyDialog({ of: key, onClose }: DialogOf<Pick<ApiKey, 'hash' | 'name' | 'creatorId'>>) {
  return (
    <WriteDialog
      path="/revokeApiKey"
      title={`Revoke ${key.name}`}
      description={`Programs of ${key.creatorId} that use this key are refused from the next call on, and anyone who signed in with it is signed out. It never works again.`}
      verb="Revoke key"
      danger
      request={{ apiKeyToRevoke: key.hash }}
      onClose={onClose}
      onDone={({ revoked }) => toast({ title: revokedText(revoked, `${key.name} of ${key.creatorId}`) })}
    />
  );
}

/** Revokes all keys of one creator. */
export function RevokeCreatorDialog({ onClose }: { readonly onClose: () => void }) {
  const [creator, setCreator] = useState('');
  return (
    <WriteDialog
      path="/revokeApiKey"
      title="Revoke a creator's keys"
      description="Every program that uses these keys is refused from its next call on. This cannot be undone. Products and licenses are not touched."
      verb="Revoke all keys"
      danger
      request={creator.trim() === '' ? null : { creatorId: creator.trim() }}
      onClose={onClose}
      onDone={({ revoked }) => toast({ title: revokedText(revoked, creator.trim()) })}
    >
      <KnownCreatorField label="Creator" value={creator} onChange={setCreator} required />
    </WriteDialog>
  );
}

/** Revokes the operator key of one person. */
export function RevokeOperatorKeyDialog({ of: key, onClose }: DialogOf<Pick<OperatorKey, 'keyHash' | 'name'>>) {
  return (
    <WriteDialog
      path="/revokeOperatorKey"
      title={`Revoke the key of ${key.name}`}
      description={`${key.name} is signed out with the next call, and nobody signs in with this key again.`}
      verb="Revoke key"
      danger
      request={{ keyHash: key.keyHash }}
      onClose={onClose}
      onDone={({ revoked }) => toast({ title: revokedText(revoked ? 1 : 0, key.name) })}
    />
  );
}
