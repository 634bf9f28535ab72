/** Environment variables that every process started by tests needs from the tests themselves. */

/** Paths of programs, the folder for temporary files, and the compiled modules of this run (see global-setup.ts). */
export const processEnvironment: Readonly<NodeJS.ProcessEnv> = {
  PATH: process.env.PATH,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
