/** The ways in to the console, as the service states them. */
import { useEffect, useState } from 'react';

/** The answer of /sign-in/ways. */
export interface WaysIn {
  /** The identity provider with whose accounts people sign in; null without one. */
  readonly provider: { readonly name: string } | null;
  /** Whether the admin secret signs in. */
  readonly adminSecret: boolean;
}

/** The page that leads to the identity provider. */
export const PROVIDER_ADDRESS = '../sign-in/provider';

/** Asked once: the cache of reads is emptied when somebody signs in, and the ways in are the same for everybody. */
let asked: Promise<WaysIn> | undefined;

async function askWaysIn(): Promise<WaysIn> {
  const response = await fetch('../sign-in/ways');
  if (!response.ok) throw new Error(`/sign-in/ways answered ${response.status}`);
  return await response.json();
}

/** The ways in; undefined until they are known. A secret works in any case. */
export function useWaysIn(): WaysIn | undefined {
  const [ways, setWays] = useState<WaysIn>();
  useEffect(() => {
    asked ??= askWaysIn();
    asked.then(setWays, () => {
      asked = undefined;
    });
  }, []);
  return ways;
}
