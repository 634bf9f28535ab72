/**
 * The history of a license, newest first: changes, refusals, violations, notes, events of its shop, e-mails; and a
 * field for a new note.
 */
import { useState } from 'react';
import { useChange } from '../actions/change.ts';
import { CopyAsCurl } from '../actions/curl.tsx';
import { RefusalNotice } from '../actions/refusal-notice.tsx';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { License } from '../api/contract.ts';
import { useRead } from '../api/reads.ts';
import { useCan, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { classes } from '../parts/classes.ts';
import { Empty } from '../parts/empty.tsx';
import { TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { shortKey } from '../parts/key-text.ts';
import { Loading } from '../parts/skeleton.tsx';
import { Badge } from '../parts/status.tsx';
import { TablePages } from '../parts/table-pages.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';
import { useCursors } from '../parts/use-cursors.ts';
import { noteBeginning } from '../sentences/events.ts';
import styles from './licenses.module.css';
import { ReinstateDialog } from './state-dialogs.tsx';
import { type Moment, mailMoments, moments, shopMoments, withOthers } from './timeline-words.ts';

const ENTRIES = 50;
const EVERY_SECONDS = 15;

/** The most events of shops, and the most e-mails, that a timeline shows. */
const MOST_OTHERS = 200;

export function Timeline({ licenseKey }: { readonly licenseKey: string }) {
  // A page is the cursor of the service and the time of the last line before it.
  const [page, pagesBefore] = useCursors();
  const [cursor, before = ''] = page?.split(' ') ?? [];
  const read = useRead(
    '/getLicense',
    {
      licenseKey,
      activationLimit: 1,
      history: true,
      historyLimit: ENTRIES,
      ...(cursor === undefined ? {} : { historyCursor: cursor }),
    },
    { keepPrevious: true, everySeconds: EVERY_SECONDS },
  );
  const others = useOthers(licenseKey);
  const mayWrite = useCan('/addNote');
  const { history = [], nextHistoryCursor } = read.data ?? {};
  const from = nextHistoryCursor === undefined ? '' : (history.at(-1)?.at ?? '');
  return (
    <>
      {mayWrite && <NoteForm licenseKey={licenseKey} />}
      {read.data === undefined ? (
        read.error === null ? (
          <Loading what="the timeline" lines={6} />
        ) : (
          <RefusalNotice refusal={read.error} onRetry={() => void read.refetch()} />
        )
      ) : (
        <Lines
          licenseKey={licenseKey}
          license={read.data.license}
          lines={withOthers(moments(history), others, { before, from })}
        />
      )}
      <TablePages {...pagesBefore(nextHistoryCursor === undefined ? undefined : `${nextHistoryCursor} ${from}`)} />
    </>
  );
}

/** The lines of shop events and e-mails. The timeline does without those that cannot be read. */
function useOthers(licenseKey: string): readonly Moment[] {
  const request = { licenseKey, limit: MOST_OTHERS };
  const options = { everySeconds: EVERY_SECONDS, later: true };
  const events =
    useRead('/listShopEvents', request, { ...options, enabled: useCan('/listShopEvents') }).data?.events ?? [];
  const mails = useRead('/listMails', request, { ...options, enabled: useCan('/listMails') }).data?.mails ?? [];
  const mayName = useCan('/listConnectors') && events.length > 0;
  const shops = useRead('/listConnectors', {}, { enabled: mayName }).data?.connectors ?? [];
  return [...shopMoments(events, licenseKey, shops), ...mailMoments(mails, licenseKey)];
}

interface LinesProps {
  readonly licenseKey: string;
  readonly lines: readonly Moment[];
  readonly license: License;
}

function Lines({ licenseKey, license, lines }: LinesProps) {
  const [isReinstating, setReinstating] = useState(false);
  const mayReinstate = useCan('/reinstateLicense') && license.status === 'revoked';
  const mayDelete = useCan('/deleteNote');
  const { creatorId } = useSession();
  const [deleting, setDeleting] = useState<Moment | null>(null);
  if (lines.length === 0) return <Empty title="Nothing is known to have happened." />;
  return (
    <>
      <ol className={styles.timeline}>
        {lines.map((moment) => {
          const { id, kind, at, title, detail, isTrouble, link, note, notedBy, isWonDispute, count } = moment;
          return (
            <li
              key={id}
              className={classes(
                styles.moment,
                isTrouble && styles.momentTrouble,
                kind === 'note' && styles.momentNote,
              )}
            >
              <div className={styles.momentHead}>
                <span>
                  {title} {count > 1 && <Badge>×{count}</Badge>}
                </span>
                <span className={styles.momentMore}>
                  <Time at={at} />
                </span>
              </div>
              {detail !== '' && <p className={styles.momentMore}>{detail}</p>}
              {link !== null && (
                <a href={link.href} className={styles.momentMore}>
                  {link.text}
                </a>
              )}
              {note !== null && <p className={styles.note}>{note}</p>}
              {note !== null && mayDelete && (creatorId === null || creatorId === notedBy) && (
                <Button small look="quiet" onClick={() => setDeleting(moment)}>
                  Delete note
                </Button>
              )}
              {isWonDispute && mayReinstate && (
                <Button small onClick={() => setReinstating(true)}>
                  Reinstate
                </Button>
              )}
            </li>
          );
        })}
      </ol>
      {isReinstating && <ReinstateDialog license={license} onClose={() => setReinstating(false)} />}
      {deleting !== null && (
        <WriteDialog
          path="/deleteNote"
          request={{ licenseKey, noteId: deleting.id }}
          title="Delete this note?"
          description={`Its text is gone for good: “${noteBeginning(deleting.note ?? '')}” The timeline keeps who wrote and who deleted it.`}
          verb="Delete note"
          danger
          onClose={() => setDeleting(null)}
          onDone={() => toast({ title: `The note was deleted from license ${shortKey(licenseKey)}.` })}
        />
      )}
    </>
  );
}

function NoteForm({ licenseKey }: { readonly licenseKey: string }) {
  const [text, setText] = useState('');
  const written = text.trim();
  const change = useChange('/addNote', () => {
    // Keeps the beginning of the next note.
    setText((now) => (now === text ? '' : now));
    toast({ title: `The note was added to license ${shortKey(licenseKey)}.` });
  });
  return (
    <Form
      className={styles.noteForm}
      onSubmit={() => {
        if (written !== '' && !change.isPending) void change.make({ licenseKey, text: written });
      }}
    >
      <TextField
        label="Note"
        hint="For the next person who reads this license. It is kept until somebody deletes it; the customer does not see it."
        value={text}
        onChange={setText}
        rows={2}
        maxLength={2000}
      />
      {change.refusal !== null && <RefusalNotice refusal={change.refusal} />}
      <div className={styles.inLine}>
        <Button type="submit" disabled={written === ''} pending={change.isPending}>
          Add note
        </Button>
        {written !== '' && <CopyAsCurl path="/addNote" request={{ licenseKey, text: written }} />}
      </div>
    </Form>
  );
}
