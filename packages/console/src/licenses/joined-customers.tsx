/** Asks before the licenses of one customer get the address of another: both are one customer afterwards. */
import { useEffect, useState } from 'react';
import { useRead } from '../api/reads.ts';
import { Checkbox } from '../parts/field.tsx';
import { useFormBlock } from '../parts/form-block.tsx';
import { Notice } from '../parts/notice.tsx';
import { ownsText } from './customer-words.ts';

interface JoinedCustomersProps {
  /** The address that the licenses have. */
  readonly email: string;
  /** The new address as typed. */
  readonly given: string;
}

/** Milliseconds without a keystroke after which the address is looked up. */
const PAUSE_MS = 300;

/** Blocks its form until the address was looked up, and where it has a customer until the person agrees. */
export function JoinedCustomers({ email, given }: JoinedCustomersProps) {
  const typed = given.trim().toLowerCase();
  const isOther = typed.includes('@') && typed !== email.toLowerCase();
  const asked = useSettled(typed);
  const [agreed, setAgreed] = useState('');
  const options = { enabled: isOther && asked === typed };
  const other = useRead('/getCustomer', { email: asked }, options);
  const present = useRead('/getCustomer', { email }, { enabled: isOther });
  const isNobody = other.error?.code === 'customer_not_found';
  const isKnown = asked === typed && (other.data !== undefined || other.error !== null);
  useFormBlock(isOther && (!isKnown || (!isNobody && agreed !== typed)));
  if (!isOther || !isKnown || isNobody) return null;
  return (
    <>
      <Notice tone="warn" title={`${typed} is a customer already.`}>
        {other.data === undefined ? 'Its data could not be read.' : `${typed} has ${ownsText(other.data.customer)}.`}
        {present.data !== undefined && ` ${email} has ${ownsText(present.data.customer)}.`}
        {' Afterwards nothing tells them apart.'}
      </Notice>
      <Checkbox
        label="Put both together"
        checked={agreed === typed}
        onChange={(isChosen) => setAgreed(isChosen ? typed : '')}
      />
    </>
  );
}

/** A text once nothing was typed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
