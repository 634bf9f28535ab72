/** The settings that the rules of e-mails need. */
declare module '../../platform/endpoint/rule-context.ts' {
  interface Settings {
    /** True if an SMTP server is configured. */
    readonly sendsMail: boolean;
  }
}

export type {};
