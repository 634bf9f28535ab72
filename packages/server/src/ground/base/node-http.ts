/**
 * The parts of the HTTP module of Node.js that the service uses. An `import` of that module reads every name that it
 * exports. One of them, WebSocket, loads a second implementation of HTTP, which takes 10 MB of memory and is never used
 * here.
 */
export const { Agent, createServer, IncomingMessage, request, STATUS_CODES } = process.getBuiltinModule('node:http');
