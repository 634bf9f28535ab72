/** The topic of licenses whose answers may differ after a commit: those who keep licenses in memory forget them. */
import type { Topic } from '../../storage/contract/published.ts';

/**
 * Stands for all licenses: a variant changed its terms, which its licenses read live. No license has this key.
 */
export const EVERY_LICENSE = '*';

/** License keys, or {@link EVERY_LICENSE}. */
export const changedLicenses: Topic<string> = { name: 'changed licenses', isForEveryThread: true };
