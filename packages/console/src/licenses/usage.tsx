/** The usage of a license's meters, and a form that corrects it. */
import { useState } from 'react';
import { WriteDialog } from '../actions/write-dialog.tsx';
import type { MeterUsage } from '../api/contract.ts';
import { maySend, useSession } from '../api/session.ts';
import { Button } from '../parts/button.tsx';
import { NumberField } from '../parts/field.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { toast } from '../parts/toast.tsx';

interface UsageProps {
  readonly licenseKey: string;
  readonly usage: readonly MeterUsage[];
}

export function Usage({ licenseKey, usage }: UsageProps) {
  const [correcting, setCorrecting] = useState<MeterUsage | null>(null);
  const mayCorrect = maySend(useSession(), '/adjustUsage', ['licenseKey', 'meter', 'units']);
  const columns: readonly Column<MeterUsage>[] = [
    { title: 'Meter', cell: ({ meter }) => meter, phone: 'first' },
    {
      title: 'Used',
      cell: ({ used, limit }) => (limit < 0 ? `${used}, no limit` : `${used} of ${limit}`),
      phone: 'firstEnd',
    },
    {
      title: 'Begins anew',
      cell: ({ resetsAt }) => (resetsAt === null ? 'Never' : <Time at={resetsAt} as="day" />),
      phone: 'second',
    },
  ];
  return (
    <Section title="Meters" hint="Those of the variant change with it at once.">
      <Table
        caption="Meters of this license"
        file="meters"
        rows={usage}
        keyOf={({ meter }) => meter}
        columns={columns}
        {...(mayCorrect
          ? {
              actions: (each: MeterUsage) => (
                <Button small onClick={() => setCorrecting(each)}>
                  Correct
                </Button>
              ),
            }
          : {})}
        empty={null}
      />
      {correcting !== null && (
        <CorrectDialog licenseKey={licenseKey} of={correcting} onClose={() => setCorrecting(null)} />
      )}
    </Section>
  );
}

interface CorrectDialogProps {
  readonly licenseKey: string;
  readonly of: MeterUsage;
  readonly onClose: () => void;
}

function CorrectDialog({ licenseKey, of: { meter, used }, onClose }: CorrectDialogProps) {
  const [typed, setTyped] = useState(String(used));
  const right = typed.trim() === '' ? Number.NaN : Number(typed);
  const units = right - used;
  const isChange = Number.isSafeInteger(right) && right >= 0 && units !== 0;
  return (
    <WriteDialog
      path="/adjustUsage"
      request={isChange ? { licenseKey, meter, units } : null}
      title={`Correct the use of ${meter}`}
      description="Uses that apps report meanwhile are counted on top."
      verb="Correct"
      onClose={onClose}
      onDone={(reply) => toast({ title: `${reply.used} of ${meter} are used now.` })}
    >
      <NumberField label="Used in this period" value={typed} onChange={setTyped} min={0} />
    </WriteDialog>
  );
}
