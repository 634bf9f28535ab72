/** Detected by the service itself; repeats gather in one open violation per license and type. */
export const DETECTED_TYPES = ['machine_limit', 'activation_rate', 'token_replay', 'country_spread'] as const;
export type DetectedType = (typeof DETECTED_TYPES)[number];

/** An observation of possible abuse of a license. */
export type Observation =
  | { readonly type: 'machine_limit'; readonly limit: number; readonly fingerprint: string; readonly hostname: string }
  | { readonly type: 'activation_rate'; readonly fingerprint: string; readonly hostname: string }
  | {
      readonly type: 'token_replay';
      readonly shownBy: string;
      readonly tokenOf: 'another machine' | 'another license';
      readonly endpoint: string;
    }
  | { readonly type: 'country_spread'; readonly countries: readonly string[] };
