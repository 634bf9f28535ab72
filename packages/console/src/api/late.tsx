/**
 * Components whose file is loaded on demand. A file that cannot be loaded leaves the page as it is. It is tried again
 * when the service answers; Chromium remembers the failure until the page is reloaded.
 */
import { type ComponentType, createElement, type ReactNode, useEffect, useState } from 'react';
import { unanswered, useConnection } from './connection.ts';

/** A component that loads when it is first shown, or by `preload`, which never rejects. */
export type Late<Props> = ComponentType<Props> & { preload: () => Promise<void> };

/** The content shown until the component is loaded. */
export interface InPlace {
  readonly loading?: ReactNode;
  /** After a failed attempt; nothing by default. `retry` resolves to whether the file was loaded. */
  readonly failed?: (retry: () => Promise<boolean>) => ReactNode;
}

/** Makes a component of a function that loads it. */
export function late<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  { loading = null, failed = () => null }: InPlace = {},
): Late<Props> {
  let Loaded: ComponentType<Props> | undefined;
  let attempt: Promise<void> | undefined;
  const preload = () => {
    attempt ??= load()
      .then((component) => {
        Loaded = component;
      })
      .catch(unanswered)
      .finally(() => {
        attempt = undefined;
      });
    return attempt;
  };
  function LateComponent(props: Props) {
    const [tries, setTries] = useState(0);
    const connection = useConnection();
    const retry = async () => {
      await preload();
      setTries((before) => before + 1);
      return Loaded !== undefined;
    };
    // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the connection is a reason to try again
    useEffect(() => {
      if (Loaded === undefined) void retry();
    }, [connection]);
    if (Loaded !== undefined) return createElement(Loaded, props);
    return tries === 0 ? loading : failed(retry);
  }
  LateComponent.preload = preload;
  return LateComponent;
}
