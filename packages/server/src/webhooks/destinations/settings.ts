/** The settings that the rules of destinations need. */
import type { AddressPolicy } from './address-policy.ts';

declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** Settings of destinations. */
    readonly destinations: DestinationSettings;
  }
}

/** Settings of destinations (rules 12). */
export interface DestinationSettings {
  /** The header `user-agent` of requests to destinations. */
  readonly userAgent: string;
  /** True if an API key may create destinations. */
  readonly mayBeOfCreators: boolean;
  /** The allowed addresses. */
  readonly addresses: AddressPolicy;
}
