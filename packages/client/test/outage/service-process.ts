/** The real service on a clock that whoever started it sets, by messages; says by a message when it listens. */
import { loadConfig } from '../../../server/src/config.ts';
import { startServer } from '../../../server/src/server.ts';

let now = Number(process.argv[2]);
process.on('message', (time: number) => {
  now = time;
  process.send?.({ now });
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit(1));
const { port } = await startServer(loadConfig(process.env), () => now);
process.send?.({ port });
