/**
 * What the service uses of the HTTP module of Node.js. An `import` of that module reads every name that it exports. Behind
 * one of them, WebSocket, is a whole second implementation of HTTP, which takes 10 MB of memory and is never used here.
 */
export const { createServer, IncomingMessage, STATUS_CODES } = process.getBuiltinModule('node:http');
