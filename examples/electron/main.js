/** The main process. It alone holds the client; windows get the state, and ask by messages. */
import { createLatchkey } from '@latchkey/client/electron';
import { app, BrowserWindow, ipcMain, safeStorage } from 'electron';
import { options } from '../options.js';
import { offerLicense } from './license.js';

await app.whenReady();
const latchkey = createLatchkey({ ...options, safeStorage });
offerLicense(latchkey, { app, ipcMain, windows: () => BrowserWindow.getAllWindows() });
await latchkey.start();
const preload = new URL('preload.cjs', import.meta.url).pathname;
await new BrowserWindow({ webPreferences: { preload } }).loadFile('index.html');
