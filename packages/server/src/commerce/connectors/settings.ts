/** The settings of a connector, and their defaults. */

/** The fate of licenses when a part of the money goes back and the seller names no line. */
export const PARTIAL_REFUNDS = ['keep', 'revoke'] as const;
/** The fate of a license whose dispute is won: a person decides, or it is reinstated at once. */
export const DISPUTES_WON = ['attention', 'reinstate'] as const;

export interface ConnectorSettings {
  /** Days after the end of a paid period in which a license goes on, unless its variant gives more. */
  readonly graceDays: number;
  /** The same while the seller tries to collect a payment that failed. */
  readonly dunningDays: number;
  readonly partialRefund: (typeof PARTIAL_REFUNDS)[number];
  readonly disputeWon: (typeof DISPUTES_WON)[number];
  /** Whether buyers get their keys by e-mail. */
  readonly mail: boolean;
  /** Languages of e-mails, the preferred one first; empty for the buyer's. */
  readonly languages: readonly string[];
  /** Addresses that get a copy of each event that needs attention, and all e-mails of a connector in test mode. */
  readonly notify: readonly string[];
  /** Origins of pages that may ask for the keys of an order. */
  readonly origins: readonly string[];
}

export const DEFAULT_SETTINGS: ConnectorSettings = {
  graceDays: 3,
  dunningDays: 14,
  partialRefund: 'keep',
  disputeWon: 'attention',
  mail: true,
  languages: [],
  notify: [],
  origins: [],
};

export const CONNECTOR_MODES = ['live', 'test'] as const;
export type ConnectorMode = (typeof CONNECTOR_MODES)[number];

/** `watching` stores events and previews them; `paused` stores them only. */
export const CONNECTOR_STATES = ['watching', 'on', 'paused'] as const;
export type ConnectorState = (typeof CONNECTOR_STATES)[number];

/** Whether an event is of the mode of a connector. A seller that does not say which is believed. */
export function isOfMode(isTest: boolean | null, mode: ConnectorMode): boolean {
  return isTest === null || isTest === (mode === 'test');
}
