/** E-mails to the customers of the selected licenses: their keys, or a message with placeholders. */
import { type ReactNode, useState } from 'react';
import { BulkDialog } from '../actions/bulk-dialog.tsx';
import { call } from '../api/call.ts';
import type { MailLanguage, Product } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { counted, countText } from '../parts/count-words.ts';
import { SelectField, TextField } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { whyRequest } from './first-reads.ts';
import styles from './licenses.module.css';
import { MAIL_LANGUAGES } from './mail-language.tsx';
import { firstOfEach, unknownPlaceholder } from './many-mails.ts';
import type { ManyProps } from './many-props.ts';
import { filledIn } from './other-replies.ts';
import { LONGEST_REPLY, LONGEST_SUBJECT } from './reply-mail.ts';
import type { Explanation } from './why-words.ts';
import type { KnownMachines } from './words.ts';

/** The language of each customer's last e-mail. */
const OWN = 'own';
type Language = MailLanguage | typeof OWN;

/** Asks for keys or a message, and sends an e-mail to each customer. */
export function MailMany(props: ManyProps) {
  const { keys, nameOf, onClose } = props;
  const mayReply = useCan('/sendReply');
  const [content, setContent] = useState('keys');
  const [language, setLanguage] = useState<Language>(OWN);
  const fields = (
    <>
      {mayReply && (
        <SelectField
          label="Content"
          value={content}
          onChange={setContent}
          options={[
            { value: 'keys', title: 'Their keys' },
            { value: 'message', title: 'A message' },
          ]}
        />
      )}
      <SelectField
        label="Language of the e-mails"
        value={language}
        onChange={(chosen) => setLanguage(chosen as Language)}
        options={[{ value: OWN, title: "That of each customer's last e-mail" }, ...MAIL_LANGUAGES]}
      />
    </>
  );
  if (content === 'message') return <MessageMany {...props} language={language} fields={fields} />;
  return (
    <BulkDialog
      path="/mailLicense"
      names={keys}
      requestOf={(licenseKey) => async () => ({ licenseKey, language: await languageOf(licenseKey, language) })}
      nameOf={nameOf}
      title={`E-mail the keys of ${counted(keys.length, 'license')}`}
      description="Each key goes to the address of its license, and to nobody else. An address gets three e-mails a day at most. E-mails cannot be called back."
      verb={`E-mail ${keys.length}`}
      doneText={queuedText}
      onClose={onClose}
    >
      {fields}
    </BulkDialog>
  );
}

interface MessageManyProps extends ManyProps {
  readonly language: Language;
  readonly fields: ReactNode;
}

/** One message for each address: a customer with several licenses reads it once. */
function MessageMany({ keys, chosen, nameOf, language, fields, onClose }: MessageManyProps) {
  const [subject, setSubject] = useState('');
  const [text, setText] = useState('');
  // Fixed while the dialog is open: the rows change with the outcome.
  const [first] = useState(() => firstOfEach(keys, (key) => chosen.get(key)?.email ?? key));
  const unknown = unknownPlaceholder(text) ?? unknownPlaceholder(subject);
  const isWritten = subject.trim() !== '' && text.trim() !== '' && unknown === null;
  const message = async (licenseKey: string) => {
    if (!first.has(licenseKey)) return null;
    const about = await readAbout(licenseKey);
    return {
      licenseKey,
      subject: filled(subject.trim(), about),
      text: filled(text, about),
      language: await languageOf(licenseKey, language),
    };
  };
  return (
    <BulkDialog
      path="/sendReply"
      names={keys}
      requestOf={isWritten ? (licenseKey) => () => message(licenseKey) : null}
      nameOf={nameOf}
      title={`Write to the customers of ${counted(keys.length, 'license')}`}
      description="The message goes to the address of each license, once to each customer. An address gets three e-mails a day at most. E-mails cannot be called back."
      verb={`Send ${first.size}`}
      doneText={queuedText}
      skippedText={(count) => `${countText(count)} ${count === 1 ? 'has' : 'have'} the address of another one`}
      onClose={onClose}
    >
      {fields}
      <TextField label="Subject" value={subject} onChange={setSubject} maxLength={LONGEST_SUBJECT} />
      <TextField
        label="Text"
        value={text}
        onChange={setText}
        rows={9}
        maxLength={LONGEST_REPLY}
        hint="{product}, {machine}, {email}, {end}, {limit} and {used} are filled in for each license."
        wrong={unknown === null ? undefined : `There is no placeholder ${unknown}.`}
      />
      {isWritten && keys[0] !== undefined && <Preview licenseKey={keys[0]} subject={subject} text={text} />}
    </BulkDialog>
  );
}

/** The message to the first customer. */
function Preview({ licenseKey, ...written }: { licenseKey: string; subject: string; text: string }) {
  const explanation = useRead('/explainLicense', whyRequest(licenseKey, '')).data;
  const machines = useRead('/getLicense', { licenseKey, activationLimit: 1 }).data;
  const productId = explanation?.license.productId ?? '';
  const products = useRead('/listProducts', { productId, includeAll: true }, { enabled: productId !== '' }).data;
  if (explanation === undefined || machines === undefined || products === undefined) return null;
  const about = { explanation, machines, product: nameOf(productId, products.products) };
  return (
    <Notice title={`To ${explanation.license.email}: ${filled(written.subject.trim(), about)}`}>
      <p className={styles.note}>{filled(written.text, about)}</p>
    </Notice>
  );
}

/** The facts that fill in a message about a license. */
interface About {
  readonly explanation: Explanation;
  readonly machines: KnownMachines;
  /** The name of the product. */
  readonly product: string;
}

const filled = (text: string, { explanation, machines, product }: About) =>
  filledIn(text, explanation, machines, { product });

async function readAbout(licenseKey: string): Promise<About> {
  const [explanation, machines] = await Promise.all([
    call('/explainLicense', whyRequest(licenseKey, '')),
    call('/getLicense', { licenseKey, activationLimit: 1 }),
  ]);
  const { productId } = explanation.license;
  const { products } = await call('/listProducts', { productId, includeAll: true });
  return { explanation, machines, product: nameOf(productId, products) };
}

function nameOf(productId: string, [product]: readonly Pick<Product, 'name'>[]): string {
  return product?.name ?? productId;
}

async function languageOf(licenseKey: string, language: Language): Promise<MailLanguage> {
  if (language !== OWN) return language;
  return (await call('/listMails', { licenseKey, limit: 1 })).mails[0]?.language ?? 'en';
}

function queuedText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'e-mail is' : 'e-mails are'} on the way`;
}
