/** The location of the data. */
export type Database =
  | { readonly engine: 'sqlite' /** Path of the file; made when absent. */; readonly file: string }
  | { readonly engine: 'postgres' /** `postgres://user:password@host:port/name`. */; readonly url: string };
