/** The settings that connectors need. */
declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    readonly connectors: {
      /** LATCHKEY_PUBLIC_URL without a slash at its end; null if it is not set. */
      readonly publicUrl: string | null;
    };
  }
}

export type {};
