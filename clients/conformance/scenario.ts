/** Scenarios as data: README.md explains the steps. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './front.ts';

/** Expected values: a part of an object, or an exact other value. `{"in": "3d"}` is a time counted from now. */
export type Expected = unknown;

/** The expectations that a step of an app may state. */
export interface Expectations {
  /** The state, in part. */
  readonly expect?: Readonly<Record<string, Expected>>;
  readonly error?: Readonly<Record<string, Expected>>;
  readonly value?: Expected;
  /** The duration until the next check, or null. */
  readonly next?: string | null;
  /** The paths of all calls of this step, in order. */
  readonly calls?: readonly string[];
  /** The body of the last call, in part. */
  readonly sent?: Readonly<Record<string, Expected>>;
}

/** The options of `create`, with names in place of values: README.md explains them. */
export type OptionsOfScenario = Readonly<Record<string, unknown>> & {
  /** `default`: the client finds the folder by itself. */
  readonly directory?: 'default';
  readonly trust?: boolean | string;
};

export type Step =
  | { readonly license: string; readonly with?: Readonly<Record<string, unknown>> }
  | {
      readonly admin: string;
      readonly key?: string;
      readonly with?: Readonly<Record<string, unknown>>;
      readonly take?: string;
      readonly as?: string;
    }
  | { readonly trust: string }
  | ({ readonly open: string; readonly options?: OptionsOfScenario; readonly start?: boolean } & Expectations)
  | ({ readonly app: string; readonly do: string } & Readonly<Record<string, unknown>> & Expectations)
  | { readonly kill: string }
  | ({
      readonly pass: string;
      readonly counts?: Readonly<Record<string, number>>;
    } & Pick<Expectations, 'calls'>)
  | { readonly sleep: string }
  | { readonly network: string | Fault | readonly Fault[]; readonly machine?: string }
  | { readonly clock: string; readonly machine?: string }
  | { readonly service: 'kill' | 'start' | 'backup' | 'restore' | 'rotate' }
  | { readonly serverClock: string }
  | { readonly rival: 'takes' | 'leaves'; readonly key: string; readonly name?: string; readonly times?: number }
  | { readonly fingerprint: 'default' }
  | { readonly disk: 'full' | 'free' | 'blocked' | 'unblocked'; readonly machine?: string }
  | {
      readonly edit: string;
      readonly machine?: string;
      readonly set?: Readonly<Record<string, unknown>>;
      readonly text?: string;
      readonly cut?: number;
      readonly copyTo?: string;
      readonly restoreFrom?: string;
      readonly flip?: string;
      readonly remove?: true;
      readonly folder?: true;
      readonly touched?: string;
    }
  | { readonly alter: string; readonly as: string }
  | { readonly stored: Readonly<Record<string, Expected>> | null; readonly machine?: string }
  | { readonly files: readonly string[]; readonly machine?: string }
  | { readonly folder: 'private'; readonly machine?: string }
  | { readonly used: number; readonly key: string };

/** The step with this field. */
export type StepOf<Field extends string> = Extract<Step, { readonly [name in Field]: unknown }>;

export interface Scenario {
  readonly group: string;
  readonly name: string;
  /** The rules of docs/apps/client-behaviour.md that it holds. */
  readonly rules: readonly string[];
  /** Abilities of a driver without which it cannot be played. */
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
}

/** Steps that are played for each value: `{each}` stands for it, and a member of this name for the members of it. */
interface Each {
  readonly each: readonly unknown[];
  readonly steps: readonly Step[];
}

/** A scenario as it is written, with its group in the head of the file. */
type Written = Omit<Scenario, 'group' | 'needs' | 'steps'> & {
  readonly needs?: readonly string[];
  readonly steps: readonly (Step | Each)[];
};

const FOLDER = join(import.meta.dirname, 'scenarios');

/** Every scenario, by group. */
export function readScenarios(): readonly Scenario[] {
  return globSync('*.json', { cwd: FOLDER })
    .sort()
    .flatMap((file) => {
      const { group, scenarios } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as {
        readonly group: string;
        readonly scenarios: readonly Written[];
      };
      return scenarios.map((scenario) => ({
        needs: [],
        ...scenario,
        group,
        steps: scenario.steps.flatMap((step) => (isEach(step) ? stepsOf(step) : [step])),
      }));
    });
}

function isEach(step: Step | Each): step is Each {
  return 'each' in step;
}

function stepsOf({ each, steps }: Each): readonly Step[] {
  return each.flatMap((value) =>
    steps.map((step) =>
      JSON.parse(JSON.stringify(step), (_, part) => {
        if (part === '{each}') return value;
        if (typeof part !== 'object' || part === null || !('{each}' in part)) return part;
        const { '{each}': _here, ...others } = part;
        return { ...others, ...(value as object) };
      }),
    ),
  );
}

/** The numbers of the rules in docs/apps/client-behaviour.md. */
export function readRules(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/apps/client-behaviour.md'), 'utf8');
  return [...page.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, number = '']) => number);
}
