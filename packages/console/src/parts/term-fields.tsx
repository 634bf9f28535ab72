/** The fields of terms that a variant and a license share. */
import { NumberField, TextField } from './field.tsx';

interface TermFieldProps {
  /** As typed; '' for a term that is not set. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly wrong?: string | undefined;
}

export function GraceField(props: TermFieldProps) {
  return <NumberField label="Grace" min={1} unit="days" hint="It keeps working so long after its end." {...props} />;
}

export function IdleField(props: TermFieldProps) {
  return (
    <NumberField label="Idle after" min={1} unit="days" hint="Then a machine makes room. Empty: never." {...props} />
  );
}

export function NewestVersionField(props: TermFieldProps) {
  return <TextField label="Newest version" hint="2 covers 2 and 2.x." {...props} />;
}
