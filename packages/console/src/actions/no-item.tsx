/** The page of an item in its place: while it is read, if it does not exist, and after a failure. */
import type { ReactNode } from 'react';
import type { FailureCode, Refusal } from '../api/refusal.ts';
import { wordsFor } from '../api/refusal-words.ts';
import { LinkButton } from '../parts/button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Page } from '../parts/page.tsx';
import { Loading } from '../parts/skeleton.tsx';
import { RefusalNotice } from './refusal-notice.tsx';

export interface NoItemProps {
  readonly title: string;
  /** Replaces the visible title of an item that may exist. */
  readonly shownTitle?: ReactNode;
  /** The item, as it ends "Reading …". */
  readonly what: string;
  /** The list of such items. */
  readonly back: { readonly title: string; readonly href: string };
  /** The label of the button that leads to the list. */
  readonly all: string;
  readonly read: { readonly error: Refusal | null; readonly refetch: () => unknown };
  /** The refusal that says that the item does not exist. */
  readonly missing: FailureCode;
}

export function NoItem({ title, shownTitle, what, back, all, read, missing }: NoItemProps) {
  const { error, refetch } = read;
  if (error?.code === missing)
    return (
      <Page title={title} back={back}>
        <Empty title={wordsFor(error).title} actions={<LinkButton href={back.href}>{all}</LinkButton>}>
          {wordsFor(error).advice}
        </Empty>
      </Page>
    );
  return (
    <Page title={title} shownTitle={shownTitle} back={back}>
      {error === null ? (
        <Loading what={what} lines={8} />
      ) : (
        <RefusalNotice refusal={error} onRetry={() => void refetch()} />
      )}
    </Page>
  );
}
