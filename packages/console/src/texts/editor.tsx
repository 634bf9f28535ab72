/** The form of a text, with the e-mail that it makes. */
import { useEffect, useState } from 'react';
import { useChange } from '../actions/change.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import { withLaterEdits } from '../actions/later-edits.ts';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import type { MailTemplate } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { Fields, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Section } from '../parts/section.tsx';
import { toast } from '../parts/toast.tsx';
import { DeleteTextDialog, SendTestDialog } from './dialogs.tsx';
import styles from './texts.module.css';
import { faultOf, isSame, KINDS, namesOf, originText, type TextName } from './words.ts';

const LONGEST_SUBJECT = 200;
/** Time without a letter after which the preview is read. */
const PAUSE_MS = 300;

/** The words of an e-mail. */
interface Words {
  readonly subject: string;
  readonly text: string;
}

interface TextEditorProps {
  readonly name: TextName;
  /** The own text of exactly this name; undefined without one. */
  readonly stored: MailTemplate | undefined;
  /** The text that e-mails have at present. */
  readonly present: Words;
  readonly templates: readonly MailTemplate[];
}

export function TextEditor({ name, stored, present, templates }: TextEditorProps) {
  const [shown, setShown] = useState(stored);
  const [words, setWords] = useState(wordsOf(present));
  const [isDeleting, setDeleting] = useState(false);
  const [isSending, setSending] = useState(false);
  const mayChange = useCan('/saveMailTemplate');
  const maySend = useCan('/sendTestMail');
  const names = namesOf(name);
  const written = useSettled(words);
  const isFilled = written.subject.trim() !== '' && written.text.trim() !== '';
  const preview = useRead('/previewMail', { ...names, ...written }, { keepPrevious: true, enabled: isFilled });
  const change = useChange('/saveMailTemplate', ({ template }) => {
    setShown(template);
    setWords((now) => withLaterEdits(wordsOf(template), words, now));
    toast({ title: 'The text was saved.' });
  });
  const { refusal, forget } = change;
  const load = () => {
    setShown(stored);
    setWords(wordsOf(present));
    forget();
  };
  const set = (typed: Partial<Words>) => {
    setWords((now) => ({ ...now, ...typed }));
    forget();
  };
  const previewFault = preview.error === null ? null : faultOf(preview.error);
  const fault = refusal === null ? previewFault : (faultOf(refusal) ?? previewFault);
  const isChanged = !isSame(words, shown ?? present);
  const request =
    isChanged && words.subject.trim() !== '' && words.text.trim() !== ''
      ? { ...names, ...words, wasUpdatedAt: shown?.updatedAt ?? null }
      : null;
  const wrong = (field: 'subject' | 'text') => (fault?.field === field ? fault.why : undefined);
  const { sent } = KINDS.find(({ value }) => value === name.kind)!;
  return (
    <div className={styles.columns}>
      <Form
        onSubmit={() => {
          if (request !== null && !change.isPending) void change.make(request);
        }}
      >
        <p className={styles.quiet}>
          {sent} {originText(shown, templates, name)}
        </p>
        <Fields>
          <TextField
            label="Subject"
            value={words.subject}
            onChange={(subject) => set({ subject })}
            maxLength={LONGEST_SUBJECT}
            disabled={!mayChange}
            wrong={wrong('subject')}
            required
          />
          <TextField
            label="Text"
            value={words.text}
            onChange={(text) => set({ text })}
            rows={12}
            disabled={!mayChange}
            wrong={wrong('text')}
            hint="{product}, {variant}, {keys}, {expires}, {shop} and {support} are filled in. An empty line begins a paragraph."
            required
          />
        </Fields>
        {refusal !== null && faultOf(refusal) === null && (
          <Fields>
            <RefusalNotice
              refusal={refusal}
              actions={
                refusal.code === 'changed_meanwhile' && (
                  <Button small onClick={load}>
                    Load the present values
                  </Button>
                )
              }
            />
          </Fields>
        )}
        <div className={styles.actions}>
          {mayChange && (
            <Button type="submit" look="primary" disabled={request === null} pending={change.isPending}>
              Save
            </Button>
          )}
          {maySend && (
            <Button disabled={preview.data === undefined || fault !== null} onClick={() => setSending(true)}>
              Send a test
            </Button>
          )}
          {mayChange && shown !== undefined && <Button onClick={() => setDeleting(true)}>Delete the text</Button>}
          {request !== null && <CopyAsCurl path="/saveMailTemplate" request={request} />}
        </div>
      </Form>
      <Section
        title="Preview"
        hint={fault === null ? 'With the values of an example.' : 'It appears once the text can be sent.'}
      >
        {preview.data !== undefined && fault === null && (
          <article className={styles.mail} lang={name.language} aria-label="Preview of the e-mail">
            <p className={styles.subject}>{preview.data.subject}</p>
            <p className={styles.body}>{preview.data.text.trimEnd()}</p>
          </article>
        )}
      </Section>
      {isSending && <SendTestDialog request={{ ...names, ...words }} onClose={() => setSending(false)} />}
      {isDeleting && shown !== undefined && (
        <DeleteTextDialog
          request={{ ...names, wasUpdatedAt: shown.updatedAt }}
          onDone={() => setShown(undefined)}
          onClose={() => setDeleting(false)}
        />
      )}
    </div>
  );
}

function wordsOf({ subject, text }: Words): Words {
  return { subject, text };
}

/** Words once nobody has typed for a moment. */
function useSettled({ subject, text }: Words): Words {
  const [settled, setSettled] = useState({ subject, text });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ subject, text }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [subject, text]);
  return settled;
}
