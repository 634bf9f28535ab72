/** The language of an e-mail to a customer: that of the last e-mail about the license, unless one is chosen. */
import { useState } from 'react';
import type { MailLanguage } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan } from '../api/session.ts';
import { SelectField } from '../parts/field.tsx';

/** The languages of e-mails to customers. */
export const MAIL_LANGUAGES: readonly { readonly value: MailLanguage; readonly title: string }[] = [
  { value: 'en', title: 'English' },
  { value: 'de', title: 'Deutsch' },
  { value: 'fr', title: 'Français' },
  { value: 'es', title: 'Español' },
];

/** The language for the customer of a license, and its choice. */
export function useMailLanguage(licenseKey: string): readonly [MailLanguage, (language: MailLanguage) => void] {
  const [chosen, choose] = useState<MailLanguage | null>(null);
  const last = useRead('/listMails', { licenseKey, limit: 1 }, { enabled: useCan('/listMails') }).data?.mails[0];
  return [chosen ?? last?.language ?? 'en', choose];
}

/** The choice of the language. */
export function LanguageField(props: {
  readonly language: MailLanguage;
  readonly onChange: (language: MailLanguage) => void;
  readonly hint?: string;
}) {
  return (
    <SelectField
      label="Language of the e-mail"
      value={props.language}
      onChange={(language) => props.onChange(language as MailLanguage)}
      options={MAIL_LANGUAGES}
      hint={props.hint}
    />
  );
}
