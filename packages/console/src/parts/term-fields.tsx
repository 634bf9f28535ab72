/** The fields of terms that a variant and a license share. */
import { FieldRow, NumberField, SelectField, TextField } from './field.tsx';

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

/** The form of named users. */
export interface UsersForm {
  readonly maxUsers: string;
  readonly maxMachinesPerUser: string;
  readonly usersFloat: '' | 'float';
}

interface UserFieldsProps {
  readonly form: UsersForm;
  readonly set: (field: keyof UsersForm) => (value: string) => void;
  readonly wrong: (field: 'maxUsers' | 'maxMachinesPerUser') => string | undefined;
  /** The choices for {@link UsersForm.usersFloat}, each with its words. */
  readonly rules: Readonly<Record<UsersForm['usersFloat'], string>>;
}

export function UserFields({ form, set, wrong, rules }: UserFieldsProps) {
  return (
    <>
      <FieldRow>
        <NumberField
          label="Users"
          min={1}
          value={form.maxUsers}
          onChange={set('maxUsers')}
          hint="Named persons. Empty: none."
          wrong={wrong('maxUsers')}
        />
        <NumberField
          label="Machines of a user"
          min={1}
          value={form.maxMachinesPerUser}
          onChange={set('maxMachinesPerUser')}
          hint="Empty: any number."
          wrong={wrong('maxMachinesPerUser')}
        />
      </FieldRow>
      <SelectField
        label="Seats of users"
        value={form.usersFloat}
        onChange={set('usersFloat')}
        options={Object.entries(rules).map(([value, title]) => ({ value, title }))}
      />
    </>
  );
}

export function NewestVersionField(props: TermFieldProps) {
  return <TextField label="Newest version" hint="2 covers 2 and 2.x." {...props} />;
}
