/** The text that a caller wants to see: a given one, else the one that e-mails have at present. */
import type { Scope } from '../../platform/endpoint/caller.ts';
import type { Refusal } from '../../platform/endpoint/refusals.ts';
import type { Sql } from '../../storage/contract/storage.ts';
import { builtInText } from './built-in-texts.ts';
import { findTemplate, type TemplateId } from './store.ts';
import { refuseTemplate, type TemplateText, tidyText } from './template.ts';

/** Text of a template as it would be stored; refuses what could not be stored. */
export async function shownText(
  sql: Sql,
  id: TemplateId,
  given: { readonly subject?: string | undefined; readonly text?: string | undefined },
  scope: Scope,
): Promise<TemplateText | Refusal<'invalid_field'>> {
  const present = (await findTemplate(sql, id)) ?? builtInText(id.kind, id.language, { keys: 1, hasEnd: true });
  const { subject = present.subject, text = present.text } = given;
  if (given.subject === undefined && given.text === undefined) return { subject, text };
  const tidy = tidyText({ subject, text });
  return refuseTemplate(id.kind, tidy, scope) ?? tidy;
}
