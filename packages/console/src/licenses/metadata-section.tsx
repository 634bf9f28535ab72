/** The metadata of a license: the vendor's own facts, which no app sees. */
import { useState } from 'react';
import { undoOfUpdate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { License } from '../api/contract.ts';
import { maySend, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import type { DialogOf } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { toast } from '../parts/toast.tsx';
import { metadataIn, metadataLines, metadataRequest } from './metadata.ts';

export function MetadataSection({ license }: { readonly license: License }) {
  const [isChanging, setChanging] = useState(false);
  const mayChange = maySend(useSession(), '/updateLicense', ['metadata']);
  const entries = Object.entries(license.metadata ?? {});
  return (
    <Section
      title="Metadata"
      hint="Your own facts about the license. No app and no customer sees them."
      actions={mayChange && <Button onClick={() => setChanging(true)}>Change metadata</Button>}
    >
      {entries.length > 0 && <Facts facts={entries.map(([title, value]) => ({ title, value }))} />}
      {isChanging && <MetadataDialog of={license} onClose={() => setChanging(false)} />}
    </Section>
  );
}

function MetadataDialog({ of: present, onClose }: DialogOf<License>) {
  const [license] = useState(present);
  const undo = useUndoToast();
  const [lines, setLines] = useState(() => metadataLines(license));
  return (
    <WriteDialog
      path="/updateLicense"
      title="Metadata"
      description={`Facts about the license of ${license.email}, for you alone.`}
      verb="Save"
      request={metadataRequest(license, lines)}
      onClose={onClose}
      onDone={({ license: after }, _, sent) =>
        toast({ title: `The license of ${after.email} has new metadata.`, ...undo(undoOfUpdate(license, after, sent)) })
      }
    >
      <TextField
        label="Metadata"
        rows={6}
        mono
        value={lines}
        onChange={setLines}
        hint="A line for each: name: value."
        wrong={metadataIn(lines) === undefined ? 'Each line needs a name of its own, a colon and a value.' : undefined}
      />
    </WriteDialog>
  );
}
