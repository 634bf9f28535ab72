/** What every process that tests start needs from the environment of the tests themselves. */

/** Where programs are, and the compiled modules of this run, see global-setup.ts; nothing else that may be set. */
export const processEnvironment: Readonly<NodeJS.ProcessEnv> = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
