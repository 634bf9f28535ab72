/**
 * Finds a leaked key. The page hashes the pasted text and asks the service for the key with that hash; the key itself
 * is sent nowhere.
 */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { asRefusal } from '../api/refusal.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Dialog, DialogActions } from '../parts/dialog.tsx';
import { Fields, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { useNow } from '../parts/now.ts';
import { Time } from '../parts/time.tsx';
import { type FoundKey, findKey } from './find-key.ts';
import { hashOfKey, isHash } from './hash.ts';
import { RevokeApiKeyDialog, RevokeOperatorKeyDialog } from './key-dialogs.tsx';
import { hasEnded, ROLE_WORDS } from './words.ts';

export function FindKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [revoking, setRevoking] = useState<FoundKey | null>(null);
  const finding = useMutation({ mutationFn: findKey });
  const look = async () => {
    const text = typed.trim();
    if (text === '') return;
    const hash = isHash(text.toLowerCase()) ? text.toLowerCase() : await hashOfKey(text);
    setTyped('');
    finding.mutate(hash);
  };
  if (revoking?.kind === 'api') return <RevokeApiKeyDialog of={revoking.key} onClose={onClose} />;
  if (revoking?.kind === 'people') return <RevokeOperatorKeyDialog of={revoking.key} onClose={onClose} />;
  return (
    <Dialog
      open
      onClose={onClose}
      title="Find a key"
      description="Paste a key that turned up where it should not be, or its hash. The key does not leave this page: the service is asked by its hash."
      stays
    >
      <Form onSubmit={() => void look()}>
        <Fields>
          <TextField label="Key or hash" value={typed} onChange={setTyped} type="password" mono />
          {finding.error !== null && <RefusalNotice refusal={asRefusal(finding.error)} />}
          {finding.data !== undefined && typed === '' && <Found found={finding.data} onRevoke={setRevoking} />}
        </Fields>
        <DialogActions>
          <span />
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" disabled={typed.trim() === ''} pending={finding.isPending}>
            Find
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function Found({ found, onRevoke }: { readonly found: FoundKey | null; readonly onRevoke: (key: FoundKey) => void }) {
  const mayRevoke = useCan(found?.kind === 'people' ? '/revokeOperatorKey' : '/revokeApiKey');
  const now = useNow();
  if (found === null)
    return (
      <Notice alert title="No key of this service.">
        No key of this installation matches, active or revoked: it gives no access. Check that the whole key was pasted.
        The admin secret and the webhook secret are not searched.
      </Notice>
    );
  const { key } = found;
  const isOver = found.kind === 'people' && hasEnded(found.key.expiresAt, now);
  return (
    <Notice
      alert
      tone={key.active && !isOver ? 'danger' : 'quiet'}
      title={`${key.name}, ${found.kind === 'api' ? `a key of ${found.key.creatorId}` : ROLE_WORDS[found.key.role].title.toLowerCase()}`}
      actions={
        key.active &&
        mayRevoke && (
          <Button small look="danger" onClick={() => onRevoke(found)}>
            Revoke it
          </Button>
        )
      }
    >
      {key.active ? (
        isOver ? (
          'It has ended and gives no access.'
        ) : (
          'It is active: anyone who has it can use it.'
        )
      ) : key.revokedAt === null ? (
        'It is already revoked and gives no access. The time of the revocation is not known.'
      ) : (
        <>
          It was revoked <Time at={key.revokedAt} /> and gives no access.
        </>
      )}{' '}
      Created <Time at={key.createdAt} />.
    </Notice>
  );
}
