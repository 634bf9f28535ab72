/**
 * The control, a separate process: a bare node:https (or node:http) server that reads and parses the same JSON and
 * responds with as many bytes. It does only the work that no Node service can avoid, so its requests per second are the
 * upper bound for Latchkey.
 */
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { carryOut } from './child.ts';
import type { ControlOrder, ControlReport } from './messages.ts';

let answer = '{}';
let answerLength = answer.length;

const onRequest: RequestListener = (request, response) => {
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    body = body === undefined ? chunk : Buffer.concat([body, chunk]);
  });
  request.on('end', () => {
    JSON.parse(String(body));
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': answerLength });
    response.end(answer);
  });
};

carryOut<ControlOrder, ControlReport>(async (order) => {
  if (order.kind === 'answer') {
    answer = order.body;
    answerLength = Buffer.byteLength(answer);
    return { kind: 'answering' };
  }
  const { tls } = order;
  const server =
    tls === null ? createHttpServer(onRequest) : createHttpsServer({ cert: tls.certificate, key: tls.key }, onRequest);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { kind: 'listening', port: (server.address() as AddressInfo).port };
});
