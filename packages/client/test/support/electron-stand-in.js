/**
 * Replaces the package `electron`, as documented and as far as examples/electron uses it. Each line of the input is a
 * call of a window, `{"channel": ..., "args": [...]}`, or `{"quit": true}`. Prints the messages and replies to windows.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const handlers = new Map();
const windows = [];

/** As in Electron, the app is ready after its main module was evaluated. A module that waits for it never ends. */
const evaluated = import(pathToFileURL(process.argv[1]).href);

class App extends EventEmitter {
  whenReady() {
    return evaluated.then(() => {});
  }

  quit() {
    let isPrevented = false;
    this.emit('before-quit', { preventDefault: () => (isPrevented = true) });
    if (!isPrevented) process.exit(0);
  }
}

export const app = new App();

export const ipcMain = {
  handle: (channel, handler) => handlers.set(channel, handler),
};

export class BrowserWindow {
  static getAllWindows = () => windows;
  webContents = { send: (channel, detail) => print({ sent: channel, detail }) };

  constructor({ webPreferences: { preload } }) {
    readFileSync(preload);
    windows.push(this);
  }

  async loadFile(file) {
    print({ loaded: file });
  }
}

export const safeStorage = {
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => Buffer.from(text).map((byte) => byte ^ 0x55),
  decryptStringAsync: async (sealed) => ({
    result: Buffer.from(sealed.map((byte) => byte ^ 0x55)).toString(),
    shouldReEncrypt: false,
  }),
  getSelectedStorageBackend: () => 'gnome_libsecret',
};

/** The network of Chromium, which knows the proxies and certificates of the system. */
export const net = { fetch: (url, options) => fetch(url, options) };

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { channel, args = [], quit } = JSON.parse(line);
  if (quit) return app.quit();
  print({ answered: channel, detail: await handlers.get(channel)({}, ...args) });
});
