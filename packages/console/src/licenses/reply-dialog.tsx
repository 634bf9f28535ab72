/** Writes and sends a reply to the customer: the suggested one, a declining one, or a template; changes templates. */
import { type ReactNode, useState } from 'react';
import { useChange } from '../actions/change.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import type { Brand, ReplyTemplate } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { Dialog, DialogFoot } from '../parts/dialog.tsx';
import { Fields, SelectField, TextField } from '../parts/field.tsx';
import { Toasts, toast } from '../parts/toast.tsx';
import { LanguageField, useMailLanguage } from './mail-language.tsx';
import { declineTo, filledIn, templatesFor, timeZones } from './other-replies.ts';
import { LONGEST_REPLY, LONGEST_SUBJECT, senderText, subjectOf } from './reply-mail.ts';
import { replyTo } from './reply-words.ts';
import { DeleteTemplateDialog, TemplateDialog } from './template-dialogs.tsx';
import type { Explanation } from './why-words.ts';
import type { KnownMachines } from './words.ts';

export interface ReplyDialogProps {
  readonly explanation: Explanation;
  readonly machines: KnownMachines;
  readonly productName: string;
  /** The owner of the product; null if unknown. */
  readonly creatorId: string | null;
  readonly onClose: () => void;
}

/** The template dialog shown instead of the reply; null while the reply is shown. */
type Asking = 'new' | { readonly change: ReplyTemplate } | { readonly remove: ReplyTemplate } | null;

/** Mount it only while it is open. */
export function ReplyDialog({ productName, creatorId, onClose, ...present }: ReplyDialogProps): ReactNode {
  // Fixed while the dialog is open: a text under a person's hands does not change.
  const [{ explanation, machines }] = useState(present);
  const [choice, setChoice] = useState('suggested');
  const [timeZone, setTimeZone] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [asking, setAsking] = useState<Asking>(null);
  const [typedSubject, setSubject] = useState<string | null>(null);
  const { key: licenseKey, email } = explanation.license;
  const [language, setLanguage] = useMailLanguage(licenseKey);
  const maySend = useCan('/sendReply');
  const brand = useBrandOf(creatorId, maySend);
  const sending = useChange('/sendReply', ({ to }) => {
    toast({ title: `The reply to ${to} is on its way.` });
    onClose();
  });
  const isCreator = useSession().kind === 'creator';
  const mayChange = useCan('/saveReplyTemplate');
  const own = useRead('/listReplyTemplates', {});
  const ofCreator = useRead(
    '/listReplyTemplates',
    { creatorId: creatorId ?? '' },
    { enabled: !isCreator && creatorId !== null },
  );
  const templates = templatesFor(
    [...(ofCreator.data?.templates ?? []), ...(own.data?.templates ?? [])],
    explanation.verdict.code,
  );
  const chosen = templates.find(({ templateId }) => templateId === choice);
  const words = { product: productName, ...(timeZone === '' ? {} : { timeZone }) };
  const made =
    chosen !== undefined
      ? filledIn(chosen.text, explanation, machines, words)
      : choice === 'declining'
        ? declineTo(explanation, words)
        : replyTo(explanation, words);
  const choose = (value: string) => {
    setChoice(value);
    setTyped(null);
  };
  const back = () => setAsking(null);
  const owners = isCreator ? [] : [creatorId ?? '', ''].filter((each, at, all) => all.indexOf(each) === at);
  const saved = ({ templateId }: ReplyTemplate) => choose(templateId);
  if (asking === 'new')
    return (
      <TemplateDialog text={made} verdict={explanation.verdict.code} owners={owners} onClose={back} onSaved={saved} />
    );
  if (asking !== null && 'change' in asking)
    return <TemplateDialog template={asking.change} owners={[]} onClose={back} onSaved={saved} />;
  if (asking !== null) return <DeleteTemplateDialog template={asking.remove} onClose={back} />;
  const refusal = own.error ?? ofCreator.error;
  const subject = typedSubject ?? subjectOf(productName, language);
  const text = typed ?? made;
  const request = { licenseKey, subject: subject.trim(), text, language };
  const isWritten = request.subject !== '' && text.trim() !== '' && text.length <= LONGEST_REPLY;
  return (
    <Dialog
      open
      stays
      wide
      title="Reply to the customer"
      description={
        maySend
          ? `To ${email}. ${senderText(brand)}`
          : `To ${email}. Copy the text into your e-mail; nothing is sent from here.`
      }
      onClose={onClose}
    >
      <Fields>
        <SelectField
          label="Reply"
          value={chosen === undefined && choice !== 'declining' ? 'suggested' : choice}
          onChange={choose}
          options={[
            { value: 'suggested', title: 'Suggested' },
            { value: 'declining', title: 'Declining' },
            ...templates.map(({ templateId, name }) => ({ value: templateId, title: `Template: ${name}` })),
          ]}
        />
        {refusal !== null && <RefusalNotice refusal={refusal} />}
        <SelectField
          label="Time zone of the customer"
          value={timeZone}
          onChange={(zone) => {
            setTimeZone(zone);
            setTyped(null);
          }}
          hint="Times in the reply are in this zone and name it."
          options={[
            { value: '', title: 'Unknown: days in your own zone' },
            ...timeZones().map((zone) => ({ value: zone, title: zone })),
          ]}
        />
        {maySend && (
          <>
            <TextField label="Subject" value={subject} onChange={setSubject} maxLength={LONGEST_SUBJECT} />
            <LanguageField
              language={language}
              onChange={setLanguage}
              hint="Of the line that leads to the pages for customers."
            />
          </>
        )}
        <TextField label="Text" value={text} onChange={setTyped} rows={11} maxLength={LONGEST_REPLY} />
        {sending.refusal !== null && <RefusalNotice refusal={sending.refusal} />}
      </Fields>
      <DialogFoot news={<Toasts inDialog />}>
        {!mayChange ? (
          <span />
        ) : chosen === undefined ? (
          <Button onClick={() => setAsking('new')}>New template</Button>
        ) : (
          <>
            <Button onClick={() => setAsking({ remove: chosen })}>Delete template</Button>
            <Button onClick={() => setAsking({ change: chosen })}>Change template</Button>
          </>
        )}
        {maySend && <CopyAsCurl path="/sendReply" request={request} />}
        <CopyButton text={text} label="Copy the text" look={maySend ? 'plain' : 'primary'} small={false}>
          Copy
        </CopyButton>
        {maySend && (
          <Button
            look="primary"
            disabled={!isWritten}
            pending={sending.isPending}
            onClick={() => void sending.make(request)}
          >
            Send
          </Button>
        )}
      </DialogFoot>
    </Dialog>
  );
}

/** The brand in whose name e-mails about a product of this owner leave; null without one. */
function useBrandOf(creatorId: string | null, enabled: boolean): Brand | null {
  const isOperator = useSession().kind === 'operator';
  const ofShop = useRead('/getBrand', isOperator && creatorId !== null ? { creatorId } : {}, { enabled }).data?.brand;
  const ofOperator = useRead('/getBrand', {}, { enabled: enabled && isOperator && creatorId !== null }).data?.brand;
  return ofShop ?? ofOperator ?? null;
}
