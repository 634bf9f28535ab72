/** Dialogs that make, change and delete templates of replies. */
import { useState } from 'react';
import { undoOfTemplate } from '../actions/undo.ts';
import { useUndoToast } from '../actions/undo-toast.ts';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { ReplyTemplate, VerdictCode } from '../api/contract.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { toast } from '../parts/toast.tsx';
import { caseTitle, verdictCodes } from './verdict-words.ts';

const LONGEST_NAME = 100;
const LONGEST_TEXT = 4096;

interface TemplateDialogProps {
  /** The template to change; absent for a new one. */
  readonly template?: ReplyTemplate;
  /** The first text of a new one. */
  readonly text?: string;
  /** The verdict of a new one. */
  readonly verdict?: VerdictCode;
  /** The possible owners of a new template, '' for the operator; empty without a choice. */
  readonly owners: readonly string[];
  readonly onClose: () => void;
  readonly onSaved: (template: ReplyTemplate) => void;
}

/** Makes or changes a template. Mount it only while it is open. */
export function TemplateDialog({ template, owners, onClose, onSaved, ...first }: TemplateDialogProps) {
  const [name, setName] = useState(template?.name ?? '');
  const [text, setText] = useState(template?.text ?? first.text ?? '');
  const [verdict, setVerdict] = useState<string>(
    template === undefined ? (first.verdict ?? '') : (template.verdict ?? ''),
  );
  const [owner, setOwner] = useState(owners[0] ?? '');
  const offerUndo = useUndoToast();
  const bytes = new TextEncoder().encode(text).length;
  const isFilled = name.trim() !== '' && text !== '' && bytes <= LONGEST_TEXT;
  return (
    <WriteDialog
      path="/saveReplyTemplate"
      title={template === undefined ? 'New template' : 'Change template'}
      description="Everybody in support reads it. Forgetting a customer leaves it as it is, so it should name nobody."
      verb="Save template"
      wide
      request={
        isFilled
          ? {
              ...(template === undefined ? {} : { templateId: template.templateId, wasUpdatedAt: template.updatedAt }),
              ...(owner === '' ? {} : { creatorId: owner }),
              ...{ name: name.trim(), text, verdict: verdict === '' ? null : (verdict as VerdictCode) },
            }
          : null
      }
      onClose={onClose}
      onDone={(reply) => {
        onSaved(reply.template);
        const { name, updatedAt } = reply.template;
        const undoing = template === undefined ? null : undoOfTemplate(template, updatedAt);
        toast({ title: `The template "${name}" is saved.`, ...offerUndo(undoing) });
      }}
    >
      <TextField label="Name" value={name} onChange={setName} maxLength={LONGEST_NAME} required />
      {owners.length > 1 && (
        <SelectField
          label="For"
          value={owner}
          onChange={setOwner}
          options={owners.map((each) => ({
            value: each,
            title: each === '' ? 'Products of every creator' : `Products of ${each}`,
          }))}
        />
      )}
      <SelectField
        label="Case"
        value={verdict}
        onChange={setVerdict}
        hint="It is listed first where this is the case."
        options={[
          { value: '', title: 'Any' },
          ...verdictCodes.map((code) => ({ value: code, title: caseTitle(code) })),
        ]}
      />
      <TextField
        label="Text"
        value={text}
        onChange={setText}
        rows={11}
        required
        hint="{product}, {machine}, {email}, {end}, {limit} and {used} are filled in."
        wrong={bytes > LONGEST_TEXT ? `The text has ${bytes} bytes; at most ${LONGEST_TEXT} are allowed.` : undefined}
      />
    </WriteDialog>
  );
}

interface DeleteTemplateDialogProps {
  readonly template: ReplyTemplate;
  readonly onClose: () => void;
}

/** Deletes a template. The message offers to make it again. */
export function DeleteTemplateDialog({ template, onClose }: DeleteTemplateDialogProps) {
  const { templateId, name, updatedAt } = template;
  const offerUndo = useUndoToast();
  return (
    <WriteDialog
      path="/deleteReplyTemplate"
      title={`Delete the template "${name}"`}
      description={'Support is no longer offered it. "Undo" brings it back.'}
      verb="Delete template"
      danger
      request={{ templateId, wasUpdatedAt: updatedAt }}
      onClose={onClose}
      onDone={() =>
        toast({ title: `The template "${name}" was deleted.`, ...offerUndo(undoOfTemplate(template, null)) })
      }
    />
  );
}
