/** Scenarios as data: README.md explains the steps. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './front.ts';

/** Expected values: a part of an object, or an exact other value. `{"in": "3d"}` is a time counted from now. */
export type Expected = unknown;

/** What the step of an app may expect. */
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
  | { readonly stored: Readonly<Record<string, Expected>> | null; readonly machine?: string }
  | { readonly files: readonly string[]; readonly machine?: string }
  | { readonly folder: 'private'; readonly machine?: string }
  | { readonly used: number; readonly key: string };

export interface Scenario {
  readonly group: string;
  readonly name: string;
  /** The rules of docs/apps/client-behaviour.md that it holds. */
  readonly rules: readonly string[];
  /** Abilities of a driver without which it cannot be played. */
  readonly needs: readonly string[];
  readonly steps: readonly Step[];
}

const FOLDER = join(import.meta.dirname, 'scenarios');

/** Every scenario, by group. */
export function readScenarios(): readonly Scenario[] {
  return globSync('*.json', { cwd: FOLDER })
    .sort()
    .flatMap((file) => {
      const { group, scenarios } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as {
        readonly group: string;
        readonly scenarios: readonly (Omit<Scenario, 'group' | 'needs'> & { readonly needs?: readonly string[] })[];
      };
      return scenarios.map((scenario) => ({ needs: [], ...scenario, group }));
    });
}

/** The numbers of the rules in docs/apps/client-behaviour.md. */
export function readRules(): readonly string[] {
  const page = readFileSync(join(import.meta.dirname, '../../docs/apps/client-behaviour.md'), 'utf8');
  return [...page.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, number = '']) => number);
}
