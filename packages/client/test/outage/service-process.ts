/** The real service on a clock that its parent process sets by messages. Sends a message when it listens. */
import { loadConfig } from '../../../server/src/runtime/config/read-config.ts';
import { startServer } from '../../../server/src/runtime/service/server.ts';

let now = Number(process.argv[2]);
const believesEveryClock = process.argv[3] === 'believes';
process.on('message', (time: number) => {
  now = time;
  process.send?.({ now });
});
// The parent process has ended.
process.on('disconnect', () => process.exit(1));
const { port } = await startServer(loadConfig(process.env), () => now, { believesEveryClock });
process.send?.({ port });
