/** Environment variables that every process started by tests needs from the tests themselves. */

/** Paths of programs, and the compiled modules of this run (see global-setup.ts); no other variables. */
export const processEnvironment: Readonly<NodeJS.ProcessEnv> = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
