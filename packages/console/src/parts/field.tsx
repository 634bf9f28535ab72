/** Form fields: a label above, a hint or an error below. */
import { type ReactNode, type Ref, useId } from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';
import unseen from './unseen.module.css';

/** The props of all fields. */
export interface FieldProps {
  readonly label: string;
  /** Shown below the field. */
  readonly hint?: ReactNode;
  /** The error in the typed value, and a correct form. */
  readonly wrong?: string | undefined;
  readonly required?: boolean;
  readonly disabled?: boolean;
  /** Whether only screen readers get the label, as in a bar of filters. */
  readonly hideLabel?: boolean;
}

/** The props of a part of a form. */
export interface FormPartProps<Form> {
  readonly form: Form;
  readonly onChange: (form: Form) => void;
}

/** The ids that connect a field with its texts. */
interface Connected {
  readonly id: string;
  readonly className: string | undefined;
  readonly required: boolean | undefined;
  readonly disabled: boolean | undefined;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Field({
  field,
  children,
}: {
  readonly field: FieldProps;
  readonly children: (connected: Connected) => ReactNode;
}) {
  const id = useId();
  const below = field.wrong ?? field.hint;
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={classes(styles.label, field.hideLabel === true && unseen.unseen)}>
        {field.label}
      </label>
      {children({
        id,
        className: styles.input,
        required: field.required,
        disabled: field.disabled,
        'aria-describedby': below === undefined ? undefined : `${id}-below`,
        'aria-invalid': field.wrong === undefined ? undefined : true,
      })}
      {below !== undefined && (
        <div id={`${id}-below`} className={classes(styles.below, field.wrong !== undefined && styles.wrong)}>
          {below}
        </div>
      )}
    </div>
  );
}

export interface TextFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: 'text' | 'email' | 'search' | 'password' | 'url';
  readonly placeholder?: string;
  /** For password managers and autofill. */
  readonly autoComplete?: string;
  /** Number of lines, if more than one. */
  readonly rows?: number;
  /** For keys, codes and hashes. */
  readonly mono?: boolean;
  readonly maxLength?: number;
  readonly ref?: Ref<HTMLInputElement>;
  /** Known values to pick from; any other can be typed. */
  readonly choices?: readonly string[];
  readonly onFocus?: () => void;
}

/** A field for text. */
export function TextField(props: TextFieldProps) {
  const { value, onChange, type = 'text', rows, mono, ref, choices, onFocus } = props;
  const listId = useId();
  const shared = { value, placeholder: props.placeholder, maxLength: props.maxLength, spellCheck: false };
  const className = classes(styles.input, mono === true && styles.mono);
  return (
    <Field field={props}>
      {(connected) =>
        rows === undefined ? (
          <>
            <input
              {...connected}
              {...shared}
              ref={ref}
              className={className}
              type={type}
              autoComplete={props.autoComplete ?? 'off'}
              list={choices === undefined ? undefined : listId}
              onFocus={onFocus}
              onChange={(event) => onChange(event.currentTarget.value)}
            />
            {choices !== undefined && (
              <datalist id={listId}>
                {choices.map((choice) => (
                  <option key={choice} value={choice} />
                ))}
              </datalist>
            )}
          </>
        ) : (
          <textarea
            {...connected}
            {...shared}
            className={className}
            rows={rows}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

export interface SelectFieldProps extends FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The choices; an entry with the value '' stands for none. */
  readonly options: readonly { readonly value: string; readonly title: string }[];
}

/** A choice. Uses the browser's own select element, which works best on phones. */
export function SelectField(props: SelectFieldProps) {
  return (
    <Field field={props}>
      {(connected) => (
        <select
          {...connected}
          className={classes(styles.input, styles.select)}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        >
          {props.options.map(({ value, title }) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export interface NumberFieldProps extends FieldProps {
  /** As typed; '' while empty. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly min?: number;
  readonly max?: number;
  /** The counted unit after the number: "days". */
  readonly unit?: string;
}

/** A field for a whole number. */
export function NumberField(props: NumberFieldProps) {
  return (
    <Field field={props}>
      {(connected) => (
        <span className={styles.withUnit}>
          <input
            {...connected}
            className={classes(styles.input, styles.number)}
            type="number"
            inputMode="numeric"
            step={1}
            min={props.min}
            max={props.max}
            value={props.value}
            onChange={(event) => props.onChange(event.currentTarget.value)}
          />
          {props.unit !== undefined && <span className={styles.unit}>{props.unit}</span>}
        </span>
      )}
    </Field>
  );
}

export interface DateFieldProps extends FieldProps {
  /** The day as `2027-01-31` in the reader's time zone; '' while empty. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly min?: string;
}

/** A field for a day. */
export function DateField(props: DateFieldProps) {
  return (
    <Field field={props}>
      {(connected) => (
        <input
          {...connected}
          type="date"
          min={props.min}
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface ColourFieldProps extends FieldProps {
  /** The colour as typed, `#rrggbb`; '' while empty. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The colour that the picker shows while there is none. */
  readonly fallback: string;
}

/** A field for a colour, typed or picked. */
export function ColourField(props: ColourFieldProps) {
  const { value, onChange, fallback } = props;
  return (
    <Field field={props}>
      {(connected) => (
        <span className={styles.withUnit}>
          <input
            {...connected}
            className={classes(styles.input, styles.mono)}
            value={value}
            maxLength={7}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange(event.currentTarget.value)}
          />
          <input
            type="color"
            className={classes(styles.input, styles.picker)}
            aria-label={`Pick: ${props.label}`}
            disabled={props.disabled}
            value={/^#[\da-f]{6}$/i.test(value) ? value : fallback}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </span>
      )}
    </Field>
  );
}

export interface FileFieldProps extends FieldProps {
  /** The media types that the browser offers, divided by commas. */
  readonly accept: string;
  readonly onChoose: (file: File) => void;
}

/** A field for a file. */
export function FileField(props: FileFieldProps) {
  return (
    <Field field={props}>
      {(connected) => (
        <input
          {...connected}
          type="file"
          accept={props.accept}
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) props.onChoose(file);
          }}
        />
      )}
    </Field>
  );
}

export interface CheckboxProps {
  readonly label: ReactNode;
  /** The meaning, shown below. */
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Checkbox({ label, hint, checked, onChange, disabled }: CheckboxProps) {
  const id = useId();
  return (
    <div className={styles.tick}>
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-below`}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {hint !== undefined && (
        <div id={`${id}-below`} className={styles.below}>
          {hint}
        </div>
      )}
    </div>
  );
}

/** Fields in a column. */
export function Fields({ children }: { readonly children: ReactNode }) {
  return <div className={styles.fields}>{children}</div>;
}

/** Two or three fields side by side, if there is enough space. */
export function FieldRow({ children }: { readonly children: ReactNode }) {
  return <div className={styles.row}>{children}</div>;
}
