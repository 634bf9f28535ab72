/**
 * Reads an endpoint's fields from a body or a query string. Null and '' count as absent, unless null has a meaning. An
 * absent required field gives the endpoint's own "Missing ..." text; any other invalid value gives a sentence that
 * names the field (rules 1.3). Unknown fields are ignored.
 */
import type { TObject, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { FieldFault, type MomentReader } from './field-types.ts';
import { type Refusal, refuse } from './refusals.ts';

/** The source of fields: a JSON body, or a query string, in which every value is text. */
export type FieldSource = 'body' | 'query';

/** The fields, or the refusal. */
export type FieldsRead = { readonly fields: Readonly<Record<string, unknown>> } | { readonly refusal: Refusal };

/** Reads the fields of one endpoint. */
export type FieldReader = (source: Readonly<Record<string, unknown>>, from: FieldSource) => FieldsRead;

interface FieldPlan {
  readonly name: string;
  readonly required: boolean;
  readonly nullable: boolean;
  /** Converts the text of a moment; undefined for any other value. */
  readonly moment: MomentReader | undefined;
  readonly type: 'string' | 'number' | 'boolean' | 'array';
  readonly errorText: string;
  /** Converts a value with parts, or returns its fault; undefined for a plain value. */
  readonly read: ((given: unknown) => unknown) | undefined;
  readonly fits: (value: unknown) => boolean;
}

/** Prepares the reader of an endpoint, once at start. */
export function fieldReader(shape: TObject, missing: string): FieldReader {
  const required: readonly string[] = shape.required ?? [];
  const plans = Object.entries(shape.properties).map(([name, schema]) => planOf(name, schema, required.includes(name)));
  return (source, from) => {
    const fields: Record<string, unknown> = {};
    let refusal: Refusal | undefined;
    for (const plan of plans) {
      const given = source[plan.name];
      if (given === undefined || given === '' || (given === null && !plan.nullable)) {
        if (plan.required) return { refusal: refuse('missing_fields', { details: { message: missing } }) };
        continue;
      }
      const value = from === 'query' ? fromText(plan, given) : given;
      if (plan.read !== undefined && value !== null) {
        const read = plan.read(value);
        if (read instanceof FieldFault) refusal ??= invalid(plan.name, read.text);
        else fields[plan.name] = read;
        continue;
      }
      const errorText = errorTextOf(plan, value);
      if (errorText !== null) refusal ??= invalid(plan.name, errorText);
      else fields[plan.name] = plan.moment !== undefined && typeof value === 'string' ? plan.moment(value) : value;
    }
    return refusal === undefined ? { fields } : { refusal };
  };
}

/** The refusal of a field; the text of a fault that begins with a dot names a part of its value. */
function invalid(name: string, errorText: string): Refusal {
  return refuse('invalid_field', {
    details: { message: `${name}${errorText.startsWith('.') ? '' : ' '}${errorText}` },
  });
}

function planOf(name: string, schema: TSchema, required: boolean): FieldPlan {
  const options = (schema as { anyOf?: TSchema[] }).anyOf;
  const nullable = options?.some((option) => (option as { type?: string }).type === 'null') ?? false;
  const inner = (nullable ? options?.find((option) => (option as { type?: string }).type !== 'null') : schema) as {
    type?: string;
    moment?: MomentReader;
    read?: FieldPlan['read'];
  };
  let compiled: ReturnType<typeof Compile<TSchema>> | undefined;
  return {
    name,
    required,
    nullable,
    moment: inner.moment,
    type:
      inner.type === 'integer' || inner.type === 'number'
        ? 'number'
        : inner.type === 'boolean' || inner.type === 'array'
          ? inner.type
          : 'string',
    errorText: (schema as { errorText?: string }).errorText ?? 'is not valid',
    read: inner.read,
    fits(value) {
      // Compiled on first use, so that a start does not wait for hundreds of fields. The storage threads never read
      // any.
      compiled ??= Compile(schema);
      return compiled.Check(value);
    },
  };
}

/**
 * The error text for a value; null if it is valid. Databases cannot store NUL, and UTF-8 cannot encode half of a
 * surrogate pair.
 */
function errorTextOf(plan: FieldPlan, value: unknown): string | null {
  if (!plan.fits(value)) return plan.errorText;
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  for (const text of texts) {
    if (typeof text === 'string' && (text.includes('\0') || !text.isWellFormed()))
      return 'must not contain NUL or half of a surrogate pair';
  }
  if (typeof value === 'string' && plan.moment?.(value) === null) return plan.errorText;
  return null;
}

/**
 * Converts a query parameter to the type that a body would hold. Text that does not convert stays text, which then
 * fails validation.
 */
function fromText(plan: FieldPlan, given: unknown): unknown {
  if (typeof given !== 'string') return given;
  if (plan.type === 'number') return /^-?\d+(\.\d+)?$/.test(given) ? Number(given) : given;
  if (plan.type === 'boolean') return given === 'true' ? true : given === 'false' ? false : given;
  if (plan.type === 'array') return given.split(',');
  return given;
}
